import { Type } from '@fastify/type-provider-typebox';
import { BlobError } from '../../../src/protocol/errors.js';
import { decodePath } from '../../../src/protocol/paths.js';
import type { App, RouteContext } from '../http/context.js';
import { serveFile } from '../http/serve-file.js';
import { goneSignal } from '../http/upload.js';

/** `GET /f/{account}/{path}`: public files, for everyone. */
export function deliveryRoutes(app: App, context: RouteContext): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/f/:account/*',
    config: { access: 'everyone' },
    schema: {
      summary: 'Read a public file',
      tags: ['delivery'],
      params: Type.Object({ account: Type.String() }),
    },
    handler: async (request, reply) => {
      const path = decodePath(request.raw.url!.replace(/\?.*$/s, '').replace(/^\/f\/[^/]*\//, ''));
      const storage = await context.accounts.mainStorage(request.params.account);
      const opened = storage && (await context.blobs.open(storage, path));
      // One answer for what is private and what is not there.
      if (opened?.file.visibility !== 'public')
        throw new BlobError('FILE_NOT_FOUND', 'There is no such public file.', { details: { path } });
      return serveFile(request, reply, opened, goneSignal(reply));
    },
  });
}

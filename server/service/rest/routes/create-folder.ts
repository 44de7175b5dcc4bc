import { Type } from '@fastify/type-provider-typebox';
import { BlobError } from '../../../../src/protocol/errors.js';
import { PATH } from '../../../../src/protocol/limits.js';
import { validatePrefix } from '../../../../src/protocol/paths.js';
import type { App, RouteContext } from '../context.js';
import { response, WorkspaceQuery } from '../openapi/schemas.js';

/** The content type that S3 clients give the marker of a folder. */
const MARKER_TYPE = 'application/x-directory';

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/** Defines the route that creates an empty folder. Folders with files need no marker. Jobs delete, move and copy folders. */
export function createFolderRoute(app: App, context: RouteContext): void {
  const Folder = Type.Object({ path: Type.String() });
  app.post(
    '/v1/folders',
    {
      config: { access: { scope: 'blob:write' } },
      schema: {
        summary: 'Create an empty folder',
        description:
          'Stores an empty file whose path ends in a slash, as S3 clients do. 200: the folder has such a file already.',
        tags: ['files'],
        querystring: Type.Object(WorkspaceQuery, { additionalProperties: false }),
        body: Type.Object({ path: Type.String({ minLength: 1, maxLength: PATH.maxBytes }) }, { additionalProperties: false }),
        response: { 200: response(Folder), 201: response(Folder) },
      },
    },
    async (request, reply) => {
      const { storage, credential } = request.actor;
      const path = validatePrefix(request.body.path, 'path');
      const options = { credential, size: 0, contentType: MARKER_TYPE, visibility: 'private', overwrite: false } as const;
      try {
        await context.blobs.put(storage, `${path}/`, noBytes(), options);
      } catch (cause) {
        if (!(cause instanceof BlobError && cause.code === 'FILE_EXISTS')) throw cause;
        return { response: { path } };
      }
      return reply.code(201).send({ response: { path } });
    },
  );
}

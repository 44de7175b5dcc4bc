import { join } from 'node:path';
import { BlobError } from '../../../../src/protocol/errors.js';
import { encodedPath } from '../../http/encoded-path.js';
import type { App } from '../context.js';
import { distFolder, readBuiltFile } from '../dist-folder.js';

/** Serves the built element for pages of the service. The pattern admits plain names only, so no address leads out of the folder. */
export function elementRoutes(app: App): void {
  app.get('/element/*', { config: { access: 'everyone' } }, async (request, reply) => {
    const name = encodedPath(request, 1);
    const script = /^svc-uploader(?:\/[\w.-]+)?\.js$/.test(name) ? await readBuiltFile(join(distFolder(), name)) : undefined;
    if (!script) throw new BlobError('NOT_FOUND', `There is no script ${name}.`);
    return reply
      .type('text/javascript; charset=utf-8')
      .header('Cache-Control', 'public, max-age=300')
      .header('X-Content-Type-Options', 'nosniff')
      .send(script);
  });
}

import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobError } from '../../../../src/protocol/errors.js';
import { encodedPath } from '../../http/encoded-path.js';
import type { App } from '../context.js';

/** The package's own name finds its folder from the sources and from the build. */
const distFolder = (): string => join(dirname(createRequire(import.meta.url).resolve('svc-uploader/package.json')), 'dist');

/** Serves the built element for pages of the service. The pattern admits plain names only, so no address leads out of the folder. */
export function elementRoutes(app: App): void {
  app.get('/element/*', { config: { access: 'everyone' } }, async (request, reply) => {
    const name = encodedPath(request, 1);
    const script = /^svc-uploader(?:\/[\w.-]+)?\.js$/.test(name) ? await readScript(join(distFolder(), name)) : undefined;
    if (!script) throw new BlobError('NOT_FOUND', 'There is no such script.');
    return reply
      .type('text/javascript; charset=utf-8')
      .header('Cache-Control', 'public, max-age=300')
      .header('X-Content-Type-Options', 'nosniff')
      .send(script);
  });
}

async function readScript(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

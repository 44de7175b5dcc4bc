import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BlobError } from '../../../../src/protocol/errors.js';
import { encodedPath } from '../../http/encoded-path.js';
import type { App, RouteContext } from '../context.js';
import { distFolder, readBuiltFile } from '../dist-folder.js';
import { safeNextPath } from '../next-path.js';
import { noRoute } from '../no-route.js';
import { sessionOfPage } from '../page-session.js';
import { acceptsHtml } from '../pages/html.js';
import { sendConsolePage } from '../pages/console-page.js';

/** The folder of the build. Its file names contain a hash, except that of the manifest. */
const folder = (): string => join(distFolder(), 'console');

const page = { config: { access: 'everyone' as const, isPage: true } };

/** Defines the pages of the web console. Its pages differ only in their address, which their script reads. */
export function consoleRoutes(app: App, context: RouteContext): void {
  // The address that people type. Programs learn that they have a wrong address.
  app.get('/', page, async (request, reply) => {
    if (!acceptsHtml(request)) throw noRoute(request);
    return reply.header('Cache-Control', 'no-store').redirect('/console', 303);
  });
  for (const path of ['/console', '/console/*'])
    app.get(path, page, async (request, reply) => {
      const session = await sessionOfPage(context, request);
      const user = session && (await context.users.get(session.userId));
      if (!user) {
        const next = safeNextPath(request.raw.url) ?? '/console';
        return reply.header('Cache-Control', 'no-store').redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
      }
      return sendConsolePage(reply, user.language, await entryFile());
    });
  app.get('/console/assets/*', { config: { access: 'everyone' } }, async (request, reply) => {
    const name = encodedPath(request, 2);
    const script = /^[\w.-]+\.js$/.test(name) ? await readBuiltFile(join(folder(), name)) : undefined;
    if (!script) throw new BlobError('NOT_FOUND', `There is no script ${name}.`);
    return reply
      .type('text/javascript; charset=utf-8')
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .header('Cross-Origin-Resource-Policy', 'same-origin')
      .header('X-Content-Type-Options', 'nosniff')
      .send(script);
  });
}

/** Returns the name of the first script. It is read for each page, because a build may replace it. */
async function entryFile(): Promise<string> {
  const manifest = await readFile(join(folder(), 'manifest.json'), 'utf8').catch((cause: unknown) => {
    throw new BlobError('SERVICE_UNAVAILABLE', 'The console is not built. Run `npm run build`.', { cause });
  });
  return basename((JSON.parse(manifest) as Record<string, { file: string }>)['src/console/index.ts']!.file);
}

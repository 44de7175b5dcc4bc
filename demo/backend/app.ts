import { Hono } from 'hono';
import { createTokenRoute } from '../../server/helper/index.js';
import type { Authorize, TokenMinter } from '../../server/helper/index.js';
import { serveAsset } from './assets.js';
import { createKeyRoutes } from './key-routes.js';
import type { TemporaryKeys } from './temporary-keys.js';
import { createPages } from './pages.js';
import { policyFor } from './policy.js';
import { FormError, receive } from './receive.js';

export interface DemoOptions {
  /** Holds the key; this is the only thing of the demo that can ask the service anything. */
  minter: TokenMinter;
  /** The same for the playground, whose tokens lead through the line that a visitor may break. */
  lineMinter: TokenMinter;
  /** What tells and sets the state of that line. */
  line: Hono;
  /** Key pairs of the S3 endpoint for the admin page. */
  keys: TemporaryKeys;
  /** The element as users get it. */
  dist: string;
}

/**
 * The demo's backend: what a site's own backend does, and nothing more. It serves pages, mints tokens, and reads the record of every
 * path that a form hands it. No file's bytes pass through here.
 */
export function createDemo({ minter, lineMinter, line, keys, dist }: DemoOptions): Hono {
  const app = new Hono();
  const pages = createPages({ service: minter.publicUrl, line: lineMinter.publicUrl, s3: keys.endpoint });
  const authorize: Authorize = ({ request }) => policyFor(new URL(request.url).searchParams.get('for'));
  const tokens = createTokenRoute(minter, { authorize });
  const lineTokens = createTokenRoute(lineMinter, { authorize });

  app.post('/upload-token', (c) => tokens(c.req.raw));
  app.post('/line/upload-token', (c) => lineTokens(c.req.raw));
  app.route('/line', line);
  app.route('/admin/keys', createKeyRoutes(keys));
  app.post('/form', async (c) => pages.received(await receive(c.req.raw, minter), c.req.header('accept')));
  for (const page of ['home', 'form', 'playground', 'admin'] as const)
    app.get(page === 'home' ? '/' : `/${page}`, () => pages.show(page));
  app.get('/*', async (c, next) => (await serveAsset(c.req.path, dist)) ?? next());
  app.onError((error) => {
    if (error instanceof FormError) return new Response(`${error.message}\n`, { status: error.status });
    // Errors of the minter name the API key; they are for the log alone.
    console.error(error);
    return new Response('Something broke on the server.\n', { status: 500 });
  });
  app.notFound(() => pages.show('missing', 404));
  return app;
}

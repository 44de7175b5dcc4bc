import { Hono } from 'hono';
import { createTokenRoute } from '../../server/helper/index.js';
import type { Authorize, Preview, TokenMinter } from '../../server/helper/index.js';
import { serveAsset } from './assets.js';
import { createKeyRoutes } from './key-routes.js';
import type { TemporaryKeys } from './temporary-keys.js';
import { createPages } from './pages.js';
import { tokenOptionsFor } from './token-options.js';
import { FormError, receiveForm } from './receive-form.js';

export interface DemoOptions {
  /** Mints tokens for direct uploads. Nothing else in the demo holds the API key. */
  minter: TokenMinter;
  /** Mints tokens for uploads through the simulated network. */
  networkMinter: TokenMinter;
  /** Routes that read and set the state of the simulated network. */
  networkRoutes: Hono;
  /** S3 key pairs for the admin page. */
  keys: TemporaryKeys;
  /** Folder of the built package. */
  dist: string;
}

/**
 * Creates the backend of the demo, which does what the backend of a site does: it serves pages, mints tokens, and checks every path of a
 * form. Bytes of files never pass through it.
 */
export function createDemo({ minter, networkMinter, networkRoutes, keys, dist }: DemoOptions): Hono {
  const app = new Hono();
  const pages = createPages({ service: minter.publicUrl, network: networkMinter.publicUrl, s3: keys.endpoint });
  const authorize: Authorize = ({ request }) => tokenOptionsFor(new URL(request.url).searchParams.get('for'));
  // The demo does not know its visitors, so they see previews of public files only. A real site checks whose files these are.
  const preview: Preview = async ({ ids, signal }) => {
    const files = await Promise.all(ids.map((id) => minter.fileById(id, { signal })));
    return files.flatMap((file) => (file?.visibility === 'public' ? [file.id] : []));
  };
  const tokenRoute = createTokenRoute(minter, { authorize, preview });
  const networkTokenRoute = createTokenRoute(networkMinter, { authorize, preview });

  app.post('/upload-token', (c) => tokenRoute(c.req.raw));
  app.post('/network/upload-token', (c) => networkTokenRoute(c.req.raw));
  app.route('/network', networkRoutes);
  app.route('/admin/keys', createKeyRoutes(keys));
  app.post('/form', async (c) => pages.received(await receiveForm(c.req.raw, minter), c.req.header('accept')));
  for (const page of ['home', 'form', 'playground', 'admin'] as const)
    app.get(page === 'home' ? '/' : `/${page}`, () => pages.show(page));
  app.get('/*', async (c, next) => (await serveAsset(c.req.path, dist)) ?? next());
  app.onError((error) => {
    if (error instanceof FormError) return new Response(`${error.message}\n`, { status: error.status });
    // Errors of the minter name the API key, so only the log gets them.
    console.error(error);
    return new Response('The server failed. Try again.\n', { status: 500 });
  });
  app.notFound(() => pages.show('missing', 404));
  return app;
}

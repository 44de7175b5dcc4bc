import { Hono } from 'hono';
import { STORE_LOCATION } from './temporary-keys.js';
import type { TemporaryKeys } from './temporary-keys.js';

/**
 * Creates `POST /admin/keys`, which gives the page a key pair, and `DELETE /admin/keys/{id}`, which revokes it. A real site checks who the
 * visitor is. The demo refuses only pages of other sites.
 */
export function createKeyRoutes(keys: TemporaryKeys): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    const site = c.req.header('sec-fetch-site');
    if (site !== undefined && site !== 'same-origin')
      return c.json({ code: 'ORIGIN_DENIED', message: 'Pages of other sites get no keys.' }, 403);
    return next();
  });
  app.post('/', async (c) => {
    const { access_key_id, secret_access_key, expires_at } = await keys.create();
    const grant = { ...STORE_LOCATION, endpoint: keys.endpoint, access_key_id, secret_access_key, expires_at };
    return c.json(grant, 201, { 'cache-control': 'no-store' });
  });
  app.delete('/:id', async (c) => {
    await keys.revoke(c.req.param('id'));
    return c.body(null, 204);
  });
  return app;
}

import { Hono } from 'hono';
import { PLACE } from './temporary-keys.js';
import type { TemporaryKeys } from './temporary-keys.js';

/**
 * `POST /admin/keys` gives the page a pair for its memory, `DELETE /admin/keys/{id}` takes it back. A real site asks first who
 * the visitor is; this one only refuses pages of other sites.
 */
export function createKeyRoutes(keys: TemporaryKeys): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    const site = c.req.header('sec-fetch-site');
    if (site !== undefined && site !== 'same-origin')
      return c.json({ code: 'ORIGIN_DENIED', message: 'Not from another site.' }, 403);
    return next();
  });
  app.post('/', async (c) => {
    const pair = await keys.make();
    const { access_key_id, secret_access_key, expires_at } = pair;
    const grant = { ...PLACE, endpoint: keys.endpoint, access_key_id, secret_access_key, expires_at };
    return c.json(grant, 201, { 'cache-control': 'no-store' });
  });
  app.delete('/:id', async (c) => {
    await keys.revoke(c.req.param('id'));
    return c.body(null, 204);
  });
  return app;
}

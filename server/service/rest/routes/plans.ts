import { Type } from '@fastify/type-provider-typebox';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { App } from '../context.js';
import { response } from '../openapi/schemas.js';

/** Routes for the plan of an account. */
export function planRoutes(app: App): void {
  app.post(
    '/v1/users/me/downgrade',
    {
      config: { access: { session: 'only' } },
      schema: {
        summary: 'Return to plan 1; responds with 404, because plans cannot be bought yet',
        tags: ['plans'],
        response: { 200: response(Type.Null()) },
      },
    },
    async () => {
      throw new BlobError('NOT_FOUND', 'Your account has no plan that was bought, so there is nothing to downgrade.');
    },
  );
}

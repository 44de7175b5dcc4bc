import { Type } from '@fastify/type-provider-typebox';
import type { App, RouteContext } from '../context.js';

const Status = Type.Object({ status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')]) });

/** Defines the health checks. */
export function healthRoutes(app: App, context: RouteContext): void {
  app.get(
    '/healthz',
    {
      config: { access: 'everyone' },
      schema: { summary: 'Check whether the process runs', tags: ['health'], response: { 200: Status } },
    },
    async () => ({ status: 'ok' as const }),
  );
  app.get(
    '/readyz',
    {
      config: { access: 'everyone' },
      schema: {
        summary: 'Check whether the database and the store respond',
        tags: ['health'],
        response: { 200: Status, 503: Status },
      },
    },
    async (request, reply) => {
      if (context.isDraining()) return reply.code(503).send({ status: 'unavailable' });
      try {
        await context.blobs.ping();
        return { status: 'ok' as const };
      } catch (cause) {
        request.log.error({ err: cause }, 'not ready');
        return reply.code(503).send({ status: 'unavailable' });
      }
    },
  );
}

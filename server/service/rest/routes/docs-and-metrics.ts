import type { FastifySchema } from 'fastify';
import type { App } from '../context.js';
import { docsPage } from '../pages/docs-page.js';
import type { Metrics } from '../../http/metrics.js';
import type { OpenApi, OpenApiBuilder } from '../openapi/openapi.js';

/** What the service tells of itself: its interface for programs and people, its figures for Prometheus. */
export function docsAndMetricsRoutes(app: App, builder: OpenApiBuilder, metrics: Metrics): void {
  let built: OpenApi | undefined;
  const document = (): OpenApi => (built ??= builder.build());

  const about = (summary: string, type: string) => ({
    config: { access: 'everyone' as const, answers: { 200: { says: summary, type } } },
    schema: { summary, tags: ['about'] } as FastifySchema,
  });

  app.get('/openapi.json', about('This interface, for programs', 'application/json'), async () => document());
  app.get('/docs', about('This interface, for people', 'text/html'), async (_request, reply) => docsPage(reply, document()));
  app.get('/metrics', about('What this process has done, for Prometheus', 'text/plain'), async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}

import type { FastifySchema } from 'fastify';
import type { App } from '../context.js';
import { docsPage } from '../pages/docs/docs-page.js';
import type { Metrics } from '../../http/metrics.js';
import type { OpenApi, OpenApiBuilder } from '../openapi/openapi.js';

/** Describes the API for programs and people, and exports metrics for Prometheus. */
export function docsAndMetricsRoutes(app: App, builder: OpenApiBuilder, metrics: Metrics): void {
  let built: OpenApi | undefined;
  const document = (): OpenApi => (built ??= builder.build());

  const options = (summary: string, contentType: string) => ({
    config: { access: 'everyone' as const, responses: { 200: { description: summary, contentType } } },
    schema: { summary, tags: ['about'] } as FastifySchema,
  });

  app.get('/openapi.json', options('The OpenAPI document of this API', 'application/json'), async () => document());
  app.get('/docs', options('The documentation of this API', 'text/html'), async (_request, reply) => docsPage(reply, document()));
  app.get('/metrics', options('Metrics for Prometheus', 'text/plain'), async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}

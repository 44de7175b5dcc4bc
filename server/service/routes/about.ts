import type { App } from '../http/context.js';
import { docsPage } from '../http/docs-page.js';
import type { Metrics } from '../http/metrics.js';
import type { OpenApi, OpenApiBuilder } from '../http/openapi.js';

/** What the service tells of itself: its interface for programs and people, its figures for Prometheus. */
export function aboutRoutes(app: App, builder: OpenApiBuilder, metrics: Metrics): void {
  let built: OpenApi | undefined;
  const document = (): OpenApi => (built ??= builder.build());

  app.get('/openapi.json', { config: { access: 'everyone' } }, async () => document());
  app.get('/docs', { config: { access: 'everyone' } }, async (_request, reply) => docsPage(reply, document()));
  app.get('/metrics', { config: { access: 'everyone' } }, async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}

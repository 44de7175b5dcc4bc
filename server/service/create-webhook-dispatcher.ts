import type { Core } from './core.js';
import type { Metrics } from './http/metrics.js';
import type { App } from './rest/context.js';
import { fileJson } from './rest/file-json.js';
import { issuerOf } from './rest/oauth/issuer.js';
import { Dispatcher } from './webhooks/dispatcher.js';

interface DispatcherParts {
  core: Core;
  app: App;
  metrics: Metrics;
  publicUrl: string | undefined;
}

/** Creates the sender of webhooks. It reports attempts to the log and the metrics, and is woken by new events. */
export function createWebhookDispatcher({ core, app, metrics, publicUrl }: DispatcherParts): Dispatcher {
  const dispatcher = new Dispatcher({
    leases: core.webhookLeases,
    webhooks: core.webhooks,
    client: core.outbound,
    // Public files have their URL below the same address as in REST. There is no request, so `publicUrl` or the service's own address decides.
    render: (file) => fileJson(file, issuerOf(publicUrl, app.server)),
    now: core.now,
    onAttempt(report) {
      const { webhook, delivery, attempt, outcome, stopped } = report;
      metrics.webhookAttempted({ outcome, ...(stopped !== undefined && { stopped }) });
      // The path of the URL may contain a secret of the receiver.
      const fields = { webhook: webhook.id, delivery: delivery.id, event: delivery.event, host: new URL(webhook.url).host };
      app.log.info({ ...fields, status: attempt.status, error: attempt.error, outcome, ms: attempt.duration_ms }, 'webhook');
      if (stopped !== undefined) app.log.warn({ ...fields, reason: stopped }, 'webhook suspended');
    },
    onFailure: (cause) => app.log.error({ err: cause }, 'webhooks could not be sent'),
  });
  core.blobs.onEvents = () => dispatcher.wake();
  return dispatcher;
}

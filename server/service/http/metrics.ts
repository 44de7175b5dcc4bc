import type { FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ReadFailure } from '../storage/blob-storage.js';
import type { JobProgress } from '../storage/jobs/job-runner.js';
import { ScanMetrics } from './scan-metrics.js';
import type { CloseReason } from './connections.js';
import type { SweepResult } from '../storage/maintenance/start-maintenance.js';

/** Seconds, from a cached response to an upload of half an hour. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300, 1800];

/** Status in metrics and log if the client disconnected before a response began, as nginx logs it. */
export const CLIENT_DISCONNECTED = 499;

/** Returns the status of a closed response. */
export const finalStatus = ({ raw, statusCode }: FastifyReply): number =>
  raw.writableFinished || raw.headersSent ? statusCode : CLIENT_DISCONNECTED;

/** A finished S3 request. */
export interface FinishedS3Request {
  /** undefined if the request matched no command. */
  command: string | undefined;
  status: number;
  /** S3's error code. */
  code: string | undefined;
  /** Announced length of the request body, in bytes. */
  received: number;
  /** Announced length of the response body, in bytes. */
  sent: number;
  milliseconds: number;
}

let processRegistry: Registry | undefined;

/** Returns the metrics of Node.js. Services of one process share them, because prom-client never stops its observer of the garbage collector. */
function metricsOfProcess(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/** The Prometheus metrics of a service. Labels are routes and codes, never names, paths or credentials. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #process = metricsOfProcess();
  readonly #requests = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Duration of REST and delivery requests, from their headers to the last byte of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [this.#registry],
  });
  readonly #running = new Gauge({
    name: 'svc_http_requests_in_progress',
    help: 'Running requests.',
    registers: [this.#registry],
  });
  readonly #errors = new Counter({
    name: 'svc_errors_total',
    help: 'Error responses by code.',
    labelNames: ['code'],
    registers: [this.#registry],
  });
  readonly #bytes = new Counter({
    name: 'svc_http_bytes_total',
    help: 'Bytes of request and response bodies by their Content-Length.',
    labelNames: ['direction'],
    registers: [this.#registry],
  });
  readonly #s3Requests = new Histogram({
    name: 'svc_s3_request_duration_seconds',
    help: 'Duration of S3 requests, from their headers to the last byte of the response.',
    labelNames: ['command', 'status'],
    buckets: BUCKETS,
    registers: [this.#registry],
  });
  readonly #s3Running = new Gauge({
    name: 'svc_s3_requests_in_progress',
    help: 'Running S3 requests.',
    registers: [this.#registry],
  });
  readonly #s3Errors = new Counter({
    name: 'svc_s3_errors_total',
    help: 'S3 error responses by code.',
    labelNames: ['code'],
    registers: [this.#registry],
  });
  readonly #s3Bytes = new Counter({
    name: 'svc_s3_bytes_total',
    help: 'Bytes of S3 request and response bodies by their Content-Length.',
    labelNames: ['direction'],
    registers: [this.#registry],
  });
  readonly #closedConnections = new Counter({
    name: 'svc_connections_closed_total',
    help: 'Connections closed by the service: too many (total, network), too slow (slow), too many pipelined requests (pipelined), too much pending data (memory).',
    labelNames: ['reason'],
    registers: [this.#registry],
  });
  readonly #swept = new Counter({
    name: 'svc_swept_total',
    help: 'Rows and files deleted by the sweep.',
    labelNames: ['what'],
    registers: [this.#registry],
  });

  readonly #readFailures = new Counter({
    name: 'svc_store_read_failures_total',
    help: 'Stored files that could not be read: missing, shorter or longer than recorded, or not sent by the store.',
    labelNames: ['kind'],
    registers: [this.#registry],
  });

  readonly #skew = new Gauge({
    name: 'svc_clock_skew_seconds',
    help: 'Time by which the clock of this machine is ahead of the clock of the database.',
    registers: [this.#registry],
  });

  readonly #consents = new Counter({
    name: 'svc_oauth_consents_total',
    help: 'Decisions of users on OAuth consent pages.',
    labelNames: ['decision'],
    registers: [this.#registry],
  });

  readonly #signIns = new Counter({
    name: 'svc_sign_ins_total',
    help: 'Attempts to sign in with a password: success, failure, or limited after too many failures.',
    labelNames: ['result'],
    registers: [this.#registry],
  });

  readonly #webhookAttempts = new Counter({
    name: 'svc_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook: delivered, retry after a failure, or failed for good.',
    labelNames: ['outcome'],
    registers: [this.#registry],
  });

  readonly #suspendedWebhooks = new Counter({
    name: 'svc_webhooks_suspended_total',
    help: 'Webhooks that an attempt suspended, because their endpoint failed for days or is gone.',
    labelNames: ['reason'],
    registers: [this.#registry],
  });

  readonly #images = new Counter({
    name: 'svc_images_total',
    help: 'Requests for resized images: from the cache (cached), computed (resized), or the code of the error.',
    labelNames: ['result'],
    registers: [this.#registry],
  });

  readonly #jobs = new Counter({
    name: 'svc_jobs_finished_total',
    help: 'Jobs that ended: done or failed. Cancelled jobs are not counted.',
    labelNames: ['type', 'state'],
    registers: [this.#registry],
  });

  readonly #jobFiles = new Counter({
    name: 'svc_job_files_total',
    help: 'Files that jobs changed (done) or could not change (failed).',
    labelNames: ['type', 'result'],
    registers: [this.#registry],
  });

  /** Metrics of virus scans. */
  readonly scans = new ScanMetrics(this.#registry);

  /** Media type of `text`. */
  readonly contentType = this.#registry.contentType;

  /** Returns the metrics of this service and of its process, in the text format of Prometheus. */
  text(): Promise<string> {
    return Registry.merge([this.#process, this.#registry]).metrics();
  }

  /** @param count returns the number of open connections. */
  observeConnections(count: () => number): void {
    const gauge: Gauge = new Gauge({
      name: 'svc_connections_open',
      help: 'Open connections on both ports.',
      registers: [this.#registry],
      collect: () => gauge.set(count()),
    });
  }

  connectionClosed(reason: CloseReason): void {
    this.#closedConnections.inc({ reason });
  }

  requestStarted(): void {
    this.#running.inc();
  }

  /** Counts a request whose response has closed, complete or not. */
  requestEnded(request: FastifyRequest, reply: FastifyReply): void {
    this.#running.dec();
    // Unknown URLs share one label. Otherwise clients could create any number of labels.
    const route = request.routeOptions.url ?? 'none';
    this.#requests.observe({ method: request.method, route, status: finalStatus(reply) }, reply.elapsedTime / 1000);
    const received = Number(request.headers['content-length'] ?? 0);
    if (received > 0) this.#bytes.inc({ direction: 'in' }, received);
    const sent = Number(reply.getHeader('content-length') ?? 0);
    if (sent > 0 && request.method !== 'HEAD') this.#bytes.inc({ direction: 'out' }, sent);
  }

  signInAttempted(result: 'success' | 'failure' | 'limited'): void {
    this.#signIns.inc({ result });
  }

  imageRequested(result: string): void {
    this.#images.inc({ result });
  }

  consentDecided(decision: 'allowed' | 'denied'): void {
    this.#consents.inc({ decision });
  }

  jobProgressed({ type, done, failed, state }: JobProgress): void {
    if (done > 0) this.#jobFiles.inc({ type, result: 'done' }, done);
    if (failed > 0) this.#jobFiles.inc({ type, result: 'failed' }, failed);
    if (state) this.#jobs.inc({ type, state });
  }

  requestFailed(code: string): void {
    this.#errors.inc({ code });
  }

  webhookAttempted({ outcome, stopped }: { outcome: string; stopped?: string }): void {
    this.#webhookAttempts.inc({ outcome });
    if (stopped !== undefined) this.#suspendedWebhooks.inc({ reason: stopped });
  }

  readFailed({ kind }: ReadFailure): void {
    this.#readFailures.inc({ kind });
  }

  /** @param skew milliseconds by which this clock is ahead. */
  clockMeasured(skew: number): void {
    this.#skew.set(skew / 1000);
  }

  s3RequestStarted(): void {
    this.#s3Running.inc();
  }

  s3RequestEnded({ command = 'none', status, code, received, sent, milliseconds }: FinishedS3Request): void {
    this.#s3Running.dec();
    this.#s3Requests.observe({ command, status }, milliseconds / 1000);
    if (code !== undefined) this.#s3Errors.inc({ code });
    if (received > 0) this.#s3Bytes.inc({ direction: 'in' }, received);
    if (sent > 0) this.#s3Bytes.inc({ direction: 'out' }, sent);
  }

  swept(report: SweepResult): void {
    for (const [what, count] of Object.entries(report)) this.#swept.inc({ what }, count);
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ReadFailure } from '../storage/blobs.js';
import type { CloseReason } from './connections.js';
import type { Swept } from '../storage/maintenance/sweeper.js';

/** From a cached answer to an upload of half an hour, seconds. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300, 1800];

/** The end of a request to the S3 endpoint, as the metrics count it. */
export interface FinishedS3Request {
  /** Undefined for a request that matches no command. */
  command: string | undefined;
  status: number;
  /** S3's error code. */
  code: string | undefined;
  /** Announced length of the request body, bytes. */
  received: number;
  /** Announced length of the response body, bytes. */
  sent: number;
  milliseconds: number;
}

/** What Prometheus may know of this process. Labels are routes and codes, never names, paths or credentials. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Requests of REST and delivery, from their headers to the last byte of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [this.registry],
  });
  readonly #running = new Gauge({
    name: 'svc_http_requests_in_progress',
    help: 'Requests under way.',
    registers: [this.registry],
  });
  readonly #errors = new Counter({
    name: 'svc_errors_total',
    help: 'Refused and failed requests by code.',
    labelNames: ['code'],
    registers: [this.registry],
  });
  readonly #bytes = new Counter({
    name: 'svc_http_bytes_total',
    help: 'Bytes of bodies, as their Content-Length announced them.',
    labelNames: ['direction'],
    registers: [this.registry],
  });
  readonly #s3Requests = new Histogram({
    name: 'svc_s3_request_duration_seconds',
    help: 'Requests of the S3 endpoint, from their headers to the last byte of the answer.',
    labelNames: ['command', 'status'],
    buckets: BUCKETS,
    registers: [this.registry],
  });
  readonly #s3Running = new Gauge({
    name: 'svc_s3_requests_in_progress',
    help: 'Requests of the S3 endpoint under way.',
    registers: [this.registry],
  });
  readonly #s3Errors = new Counter({
    name: 'svc_s3_errors_total',
    help: 'Refused and failed requests of the S3 endpoint by S3’s code.',
    labelNames: ['code'],
    registers: [this.registry],
  });
  readonly #s3Bytes = new Counter({
    name: 'svc_s3_bytes_total',
    help: 'Bytes of bodies over S3, as their Content-Length announced them.',
    labelNames: ['direction'],
    registers: [this.registry],
  });
  readonly #cut = new Counter({
    name: 'svc_connections_closed_total',
    help: 'Connections closed by the service: too many (total, network), too slow (slow), or too greedy (pipelined, memory).',
    labelNames: ['reason'],
    registers: [this.registry],
  });
  readonly #swept = new Counter({
    name: 'svc_swept_total',
    help: 'What the sweep cleaned away.',
    labelNames: ['what'],
    registers: [this.registry],
  });

  readonly #readFailures = new Counter({
    name: 'svc_store_read_failures_total',
    help: 'Stored blobs that could not be read: missing, of another length than recorded (short, long), or not sent by the store.',
    labelNames: ['kind'],
    registers: [this.registry],
  });

  readonly #skew = new Gauge({
    name: 'svc_clock_skew_seconds',
    help: 'How far the clock of this machine is ahead of the database’s.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** @param count the connections that are open now */
  observeConnections(count: () => number): void {
    const gauge: Gauge = new Gauge({
      name: 'svc_connections_open',
      help: 'Open connections of both ports.',
      registers: [this.registry],
      collect: () => gauge.set(count()),
    });
  }

  cut(reason: CloseReason): void {
    this.#cut.inc({ reason });
  }

  began(): void {
    this.#running.inc();
  }

  ended(request: FastifyRequest, reply: FastifyReply): void {
    this.#running.dec();
    // Addresses nobody defined would make a label each.
    const route = request.routeOptions.url ?? 'none';
    this.#requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    const received = Number(request.headers['content-length'] ?? 0);
    if (received > 0) this.#bytes.inc({ direction: 'in' }, received);
    const sent = Number(reply.getHeader('content-length') ?? 0);
    if (sent > 0 && request.method !== 'HEAD') this.#bytes.inc({ direction: 'out' }, sent);
  }

  refused(code: string): void {
    this.#errors.inc({ code });
  }

  readFailed({ kind }: ReadFailure): void {
    this.#readFailures.inc({ kind });
  }

  /** @param skew ms. */
  clockMeasured(skew: number): void {
    this.#skew.set(skew / 1000);
  }

  s3Began(): void {
    this.#s3Running.inc();
  }

  s3Ended({ command = 'none', status, code, received, sent, milliseconds }: FinishedS3Request): void {
    this.#s3Running.dec();
    this.#s3Requests.observe({ command, status }, milliseconds / 1000);
    if (code !== undefined) this.#s3Errors.inc({ code });
    if (received > 0) this.#s3Bytes.inc({ direction: 'in' }, received);
    if (sent > 0) this.#s3Bytes.inc({ direction: 'out' }, sent);
  }

  swept(report: Swept): void {
    for (const [what, count] of Object.entries(report)) this.#swept.inc({ what }, count);
  }
}

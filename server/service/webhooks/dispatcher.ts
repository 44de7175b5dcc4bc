import type { OutboundClient } from '../outbound/outbound-client.js';
import { PollingLoop } from '../runtime/polling-loop.js';
import { settleWithin } from '../runtime/settle-within.js';
import type { StopReason } from '../drivers/metadata/webhook-tables.js';
import { LEASE_MS } from './leases.js';
import type { Leases, Outcome } from './leases.js';
import { sendDelivery } from './send-delivery.js';
import type { RenderFile } from './send-delivery.js';
import type { Attempt, DeliveryRow, WebhookRow } from './webhook-rows.js';
import type { Webhooks } from './webhooks.js';

/** Attempts of this process at once, so that a slow endpoint takes few of the sockets. */
const MAX_RUNNING = 128;
const MAX_RUNNING_PER_WEBHOOK = 16;
/** The same for one account, so that its slow endpoints never occupy every place. */
const MAX_RUNNING_PER_ACCOUNT = 64;
/** Interval at which due retries, and events of other replicas, are found. */
const POLL_MS = 2000;
/** Time between two rounds, in which events and free places collect. */
const PAUSE_MS = 10;
/** Default of `stopWithin`. */
const STOP_WITHIN_MS = 5000;
/** A lease with less time left than an attempt takes is not used. */
const MIN_LEASE_LEFT_MS = 16_000;

/** An attempt, for log and metrics. */
export interface AttemptReport {
  webhook: WebhookRow;
  delivery: DeliveryRow;
  attempt: Attempt;
  outcome: Outcome;
  /** Set if this attempt suspended the webhook. */
  stopped?: StopReason;
}

export interface DispatcherOptions {
  leases: Leases;
  webhooks: Webhooks;
  client: OutboundClient;
  render: RenderFile;
  /** Running attempts have this long to end when the service stops, ms. @default 5000 */
  stopWithin?: number;
  now(): number;
  onAttempt(report: AttemptReport): void;
  /** Receives errors of the database. A later round tries again. */
  onFailure(cause: unknown): void;
}

/** Sends due deliveries. Each replica runs one. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Running attempts by the ids of webhooks, and by those of their accounts. */
  readonly #running = new Map<string, number>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #loop: PollingLoop;
  /** Interrupts running attempts. */
  readonly #cut = new AbortController();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { onFailure } = options;
    this.#loop = new PollingLoop({ interval: POLL_MS, pause: PAUSE_MS, round: (signal) => this.#round(signal), onFailure });
  }

  start(): void {
    this.#loop.start();
  }

  /** Starts the next round soon, because events were recorded. */
  wake(): void {
    this.#loop.wake();
  }

  /** Starts no more attempts. Lets running ones end for a few seconds, and gives the rest back for other replicas. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await settleWithin(this.#options.stopWithin ?? STOP_WITHIN_MS, Promise.all(this.#attempts));
    this.#cut.abort();
    await Promise.all(this.#attempts);
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { leases } = this.#options;
    if (this.#attempts.size >= MAX_RUNNING) return;
    const due = await leases.findDueWebhooks();
    // Slow endpoints of one account, or one slow endpoint of an account, must not take the places of the others.
    const byRunning = (a: WebhookRow, b: WebhookRow) =>
      this.#runningOf(a.account_id) - this.#runningOf(b.account_id) || this.#runningOf(a.id) - this.#runningOf(b.id);
    for (const webhook of due.toSorted(byRunning)) {
      const places = Math.min(
        MAX_RUNNING_PER_WEBHOOK - this.#runningOf(webhook.id),
        MAX_RUNNING_PER_ACCOUNT - this.#runningOf(webhook.account_id),
        MAX_RUNNING - this.#attempts.size,
      );
      if (places <= 0 || signal.aborted) continue;
      const usableUntil = performance.now() + LEASE_MS - MIN_LEASE_LEFT_MS;
      for (const delivery of await leases.take(webhook.id, places)) this.#begin(webhook, delivery, usableUntil);
    }
  }

  #begin(webhook: WebhookRow, delivery: DeliveryRow, usableUntil: number): void {
    this.#count(webhook, 1);
    const attempt = this.#attempt(webhook, delivery, usableUntil)
      .catch((cause: unknown) => this.#options.onFailure(cause))
      .finally(() => {
        this.#attempts.delete(attempt);
        this.#count(webhook, -1);
        this.#loop.wake();
      });
    this.#attempts.add(attempt);
  }

  #runningOf(id: string): number {
    return this.#running.get(id) ?? 0;
  }

  #count({ id, account_id }: WebhookRow, change: 1 | -1): void {
    for (const counted of [id, account_id]) {
      const running = this.#runningOf(counted) + change;
      if (running === 0) this.#running.delete(counted);
      else this.#running.set(counted, running);
    }
  }

  async #attempt(webhook: WebhookRow, delivery: DeliveryRow, usableUntil: number): Promise<void> {
    const { leases, webhooks, client, render, now, onAttempt } = this.#options;
    // The process was paused. Another replica may send the delivery soon.
    if (performance.now() > usableUntil) return;
    const { signal } = this.#cut;
    const options = { url: webhook.url, secrets: webhooks.secretsOf(webhook), render, now: now(), signal };
    let attempt: Attempt;
    try {
      attempt = await sendDelivery(client, delivery, options);
    } catch (cause) {
      await leases.giveBack(delivery);
      if (signal.aborted) return;
      throw cause;
    }
    const settled = await leases.settle(delivery, attempt);
    if (settled) onAttempt({ webhook, delivery, attempt, ...settled });
  }
}

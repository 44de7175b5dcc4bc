import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { HEARTBEAT_INTERVAL_MS } from '../uploads/heartbeat.js';
import type { SweepReport } from './sweep.js';
import type { BlobStorage } from '../blob-storage.js';

/** Interval of the sweep. */
const SWEEP_INTERVAL_MS = 30_000;
/** Interval at which due checks of domains run. */
const DOMAIN_CHECK_INTERVAL_MS = 3_600_000;
/** Interval at which old entries of the activity log are deleted. */
const ACTIVITY_SWEEP_INTERVAL_MS = 3_600_000;
/** Interval at which old deliveries of webhooks are deleted. */
const WEBHOOK_SWEEP_INTERVAL_MS = 60_000;
/** Interval at which the whole store is listed for blobs without rows. */
const ORPHAN_SWEEP_INTERVAL_MS = 6 * 3_600_000;

export type SweepResult = Partial<SweepReport> & {
  orphans?: number;
  suspendedDomains?: number;
  oldActivities?: number;
  webhookDeliveries?: number;
};

export interface MaintenanceOptions {
  /** Time at which this process became the only one on the data, in milliseconds since 1970. Undefined if replicas may share the data. */
  aloneSince: number | undefined;
  /** Days for which entries of the activity log are kept. @default 400 */
  activityRetention?: number | undefined;
  /** Receives what a job deleted. */
  onSweep(report: SweepResult): void;
  /** Receives how far this machine's clock is ahead of the database's, in milliseconds. */
  onClockMeasured(skew: number): void;
  /** Receives the error of a job that failed. The job runs again after its interval. */
  onFailure(cause: unknown): void;
}

/** The parts of the service that need regular work. */
export interface MaintainedParts {
  blobs: Pick<BlobStorage, 'keepAlive' | 'sweep' | 'sweepOrphans'>;
  domains: { recheck(options: { signal: AbortSignal }): Promise<number> };
  activities: { deleteOld(options: { days?: number | undefined; signal: AbortSignal }): Promise<number> };
  webhookRetention: { sweep(signal: AbortSignal): Promise<number> };
  measureSkew(): Promise<number>;
}

/**
 * Starts the regular jobs of the service: heartbeats, clock, sweeps, domains, activity log, webhooks. Each job has its own timer, because
 * listing the store may take longer than other replicas wait for a heartbeat.
 * @returns a function that stops the jobs and resolves when they have ended.
 */
export function startMaintenance(parts: MaintainedParts, options: MaintenanceOptions): () => Promise<void> {
  const { blobs, domains, activities, webhookRetention, measureSkew } = parts;
  const { aloneSince, activityRetention, onSweep, onClockMeasured, onFailure } = options;
  const stop = new AbortController();
  const { signal } = stop;
  // Each job listens, and so does each of its requests to an object store. Node would warn about more than ten.
  setMaxListeners(0, signal);
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  async function repeat(interval: number, firstDelay: number, job: () => Promise<void>): Promise<void> {
    await pause(firstDelay);
    while (!signal.aborted) {
      await job().catch((cause: unknown) => void (signal.aborted || onFailure(cause)));
      await pause(interval);
    }
  }

  const jobs = [
    repeat(HEARTBEAT_INTERVAL_MS, 0, () => blobs.keepAlive()),
    repeat(HEARTBEAT_INTERVAL_MS, HEARTBEAT_INTERVAL_MS, async () => onClockMeasured(await measureSkew())),
    repeat(SWEEP_INTERVAL_MS, 0, async () => onSweep(await blobs.sweep({ aloneSince, signal }))),
    repeat(DOMAIN_CHECK_INTERVAL_MS, DOMAIN_CHECK_INTERVAL_MS, async () =>
      onSweep({ suspendedDomains: await domains.recheck({ signal }) }),
    ),
    repeat(ACTIVITY_SWEEP_INTERVAL_MS, 0, async () =>
      onSweep({ oldActivities: await activities.deleteOld({ days: activityRetention, signal }) }),
    ),
    repeat(WEBHOOK_SWEEP_INTERVAL_MS, 0, async () => onSweep({ webhookDeliveries: await webhookRetention.sweep(signal) })),
    // Replicas share a store, so not each of them lists it at its start.
    repeat(ORPHAN_SWEEP_INTERVAL_MS, aloneSince === undefined ? ORPHAN_SWEEP_INTERVAL_MS : 0, async () =>
      onSweep({ orphans: await blobs.sweepOrphans({ aloneSince, signal }) }),
    ),
  ];
  return async () => {
    stop.abort();
    await Promise.all(jobs);
  };
}

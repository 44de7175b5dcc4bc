import { setTimeout as sleep } from 'node:timers/promises';
import { HEARTBEAT_INTERVAL } from '../uploads/heartbeat.js';
import type { SweepReport } from './sweep.js';
import type { BlobStorage } from '../blob-storage.js';

/** How often dead uploads, expired files and freed bytes are looked for, ms. */
const SWEEP_INTERVAL = 30_000;
/** How often it is looked whether the proof of a domain is due, ms. */
const DOMAIN_CHECK_INTERVAL = 3_600_000;
/** How often the whole store is read through for bytes that no record knows, ms. */
const ORPHAN_SWEEP_INTERVAL = 6 * 3_600_000;

export type SweepResult = Partial<SweepReport> & { orphans?: number; suspendedDomains?: number };

export interface MaintenanceOptions {
  /** Since when no other process can be at work on the data, ms; undefined where replicas share it. */
  aloneSince: number | undefined;
  /** Told what was cleaned away. */
  onSweep(report: SweepResult): void;
  /** Told by how much this machine's clock is ahead of the one that all replicas share, ms. */
  onClockMeasured(skew: number): void;
  /** Told of a round that failed; the next one tries again. */
  onFailure(cause: unknown): void;
}

/** The parts of the service that need regular work. */
export interface Maintained {
  blobs: Pick<BlobStorage, 'keepAlive' | 'sweep' | 'sweepOrphans'>;
  domains: { recheck(options: { signal: AbortSignal }): Promise<number> };
  measureSkew(): Promise<number>;
}

/**
 * Cleans and looks after things beside the requests as long as the service runs. Each job is on its own: reading through the store may take longer than others
 * wait for a sign of life.
 * @returns what ends it, wherever it is.
 */
export function startMaintenance(maintained: Maintained, options: MaintenanceOptions): () => Promise<void> {
  const { blobs, domains, measureSkew } = maintained;
  const { aloneSince, onSweep, onClockMeasured, onFailure } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  async function repeat(every: number, first: number, job: () => Promise<void>): Promise<void> {
    await pause(first);
    while (!signal.aborted) {
      await job().catch((cause: unknown) => void (signal.aborted || onFailure(cause)));
      await pause(every);
    }
  }

  const jobs = [
    repeat(HEARTBEAT_INTERVAL, 0, () => blobs.keepAlive()),
    repeat(HEARTBEAT_INTERVAL, HEARTBEAT_INTERVAL, async () => onClockMeasured(await measureSkew())),
    repeat(SWEEP_INTERVAL, 0, async () => onSweep(await blobs.sweep({ aloneSince, signal }))),
    repeat(DOMAIN_CHECK_INTERVAL, DOMAIN_CHECK_INTERVAL, async () =>
      onSweep({ suspendedDomains: await domains.recheck({ signal }) }),
    ),
    // Who shares a store need not read it through at every start.
    repeat(ORPHAN_SWEEP_INTERVAL, aloneSince === undefined ? ORPHAN_SWEEP_INTERVAL : 0, async () =>
      onSweep({ orphans: await blobs.sweepOrphans({ aloneSince, signal }) }),
    ),
  ];
  return async () => {
    stop.abort();
    await Promise.all(jobs);
  };
}

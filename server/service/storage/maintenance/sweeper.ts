import { setTimeout as sleep } from 'node:timers/promises';
import { BEAT_EVERY } from '../uploads/heartbeat.js';
import type { SweepReport } from './sweep.js';
import type { Blobs } from '../blobs.js';

/** How often dead uploads, expired files and freed bytes are looked for, ms. */
const SWEEP_EVERY = 30_000;
/** How often it is looked whether the proof of a domain is due, ms. */
const DOMAINS_EVERY = 3_600_000;
/** How often the whole store is read through for bytes that no record knows, ms. */
const ORPHANS_EVERY = 6 * 3_600_000;

export type Swept = Partial<SweepReport> & { orphans?: number; suspendedDomains?: number };

export interface SweeperOptions {
  /** Since when no other process can be at work on the data, ms; undefined where replicas share it. */
  aloneSince: number | undefined;
  /** Told what was cleaned away. */
  swept(report: Swept): void;
  /** Told by how much this machine's clock is ahead of the one that all replicas share, ms. */
  measured(skew: number): void;
  /** Told of a round that failed; the next one tries again. */
  failed(cause: unknown): void;
}

/** The parts of the service that need regular work. */
export interface Maintained {
  blobs: Pick<Blobs, 'keepAlive' | 'sweep' | 'sweepOrphans'>;
  domains: { recheck(options: { signal: AbortSignal }): Promise<number> };
  measureSkew(): Promise<number>;
}

/**
 * Cleans and looks after things beside the requests as long as the service runs. Each job is on its own: reading through the store may take longer than others
 * wait for a sign of life.
 * @returns what ends it, wherever it is.
 */
export function startSweeping(maintained: Maintained, options: SweeperOptions): () => Promise<void> {
  const { blobs, domains, measureSkew } = maintained;
  const { aloneSince, swept, measured, failed } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  async function repeat(every: number, first: number, job: () => Promise<void>): Promise<void> {
    await pause(first);
    while (!signal.aborted) {
      await job().catch((cause: unknown) => void (signal.aborted || failed(cause)));
      await pause(every);
    }
  }

  const jobs = [
    repeat(BEAT_EVERY, 0, () => blobs.keepAlive()),
    repeat(BEAT_EVERY, BEAT_EVERY, async () => measured(await measureSkew())),
    repeat(SWEEP_EVERY, 0, async () => swept(await blobs.sweep({ aloneSince, signal }))),
    repeat(DOMAINS_EVERY, DOMAINS_EVERY, async () => swept({ suspendedDomains: await domains.recheck({ signal }) })),
    // Who shares a store need not read it through at every start.
    repeat(ORPHANS_EVERY, aloneSince === undefined ? ORPHANS_EVERY : 0, async () =>
      swept({ orphans: await blobs.sweepOrphans({ aloneSince, signal }) }),
    ),
  ];
  return async () => {
    stop.abort();
    await Promise.all(jobs);
  };
}

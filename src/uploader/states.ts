import type { Totals } from '../engine/types.js';

/** What `:state(…)` can be asked for. */
export const STATES = ['dragging', 'uploading', 'paused', 'complete', 'error', 'offline', 'empty', 'max-files'] as const;
export type StateName = (typeof STATES)[number];

export interface StateFacts {
  dragging: boolean;
  totals: Readonly<Totals>;
  paused: boolean;
  online: boolean;
  maxFiles: number | null;
}

/** Which states hold. Pure. */
export function statesOf({ dragging, totals, paused, online, maxFiles }: StateFacts): Set<StateName> {
  const { files, done, failed, rejected, queued, active } = totals;
  const busy = queued + active > 0;
  const holds: Record<StateName, boolean> = {
    dragging,
    uploading: active > 0,
    paused: paused && busy,
    complete: !busy && done > 0 && failed === 0,
    error: failed + rejected > 0,
    offline: !online,
    empty: files + rejected === 0,
    'max-files': maxFiles !== null && files - failed >= maxFiles,
  };
  return new Set(STATES.filter((name) => holds[name]));
}

/** Brings the element's custom states up to date, touching only those that change. */
export function applyStates(current: CustomStateSet, wanted: ReadonlySet<StateName>): void {
  for (const name of STATES)
    if (current.has(name) !== wanted.has(name)) {
      if (wanted.has(name)) current.add(name);
      else current.delete(name);
    }
}

import type { Totals } from '../queue/types.js';

export interface CustomStateInput {
  dragging: boolean;
  totals: Readonly<Totals>;
  paused: boolean;
  online: boolean;
  maxFiles: number | null;
}

/** What `:state(…)` can be asked for, and whether it holds. Pure. */
export function customStates({ dragging, totals, paused, online, maxFiles }: CustomStateInput): Record<string, boolean> {
  const { files, done, failed, rejected, queued, active } = totals;
  const busy = queued + active > 0;
  return {
    dragging,
    uploading: active > 0,
    paused: paused && busy,
    complete: !busy && done > 0 && failed === 0,
    error: failed + rejected > 0,
    offline: !online,
    empty: files + rejected === 0,
    'max-files': maxFiles !== null && files - failed >= maxFiles,
  };
}

/** Brings the element's custom states up to date, touching only those that change. */
export function applyCustomStates(current: CustomStateSet, wanted: Readonly<Record<string, boolean>>): void {
  for (const [name, holds] of Object.entries(wanted)) if (current.has(name) !== holds) current[holds ? 'add' : 'delete'](name);
}

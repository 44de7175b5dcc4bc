import type { Totals } from '../queue/types.js';

export interface CustomStateInput {
  dragging: boolean;
  totals: Readonly<Totals>;
  paused: boolean;
  online: boolean;
  maxFiles: number | null;
}

/** Computes which custom states (`:state(…)`) apply. */
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

/** Updates the element's custom states. Changes only those that differ, because each change makes the browser restyle. */
export function applyCustomStates(current: CustomStateSet, wanted: Readonly<Record<string, boolean>>): void {
  for (const [name, applies] of Object.entries(wanted)) {
    if (current.has(name) === applies) continue;
    if (applies) current.add(name);
    else current.delete(name);
  }
}

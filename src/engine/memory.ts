import { IDEMPOTENCY } from '../protocol/limits.js';

// What outlives a reload: under which `Idempotency-Key` a file was being uploaded, so that the service can tell how much of it is
// there when it is chosen again. The key opens nothing by itself, and neither a token nor a file's name is stored.

interface Entry {
  key: string;
  /** When it was first used, `Date.now()`. */
  at: number;
}

/** Absent or refused in private windows, sandboxed frames and Node: then nothing is remembered. */
function storage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** The entry's name for a file on this page: a digest, as nobody's file names belong in storage. Undefined outside secure contexts. */
export async function nameFor(endpoint: string, identity: string): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle || !storage()) return undefined;
  const text = new TextEncoder().encode([endpoint, globalThis.location?.pathname, identity].join('\n'));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return `svc-uploader:${btoa(String.fromCharCode(...digest))}`;
}

export function recall(name: string): string | undefined {
  try {
    const { key, at } = JSON.parse(storage()?.getItem(name) ?? '') as Entry;
    return typeof key === 'string' && Date.now() - at < IDEMPOTENCY.keepSeconds * 1000 ? key : undefined;
  } catch {
    return undefined;
  }
}

export function remember(name: string, key: string): void {
  try {
    storage()?.setItem(name, JSON.stringify({ key, at: Date.now() } satisfies Entry));
  } catch {
    // A full storage costs the resumption after a reload and nothing else.
  }
}

export const forget = (name: string): void => storage()?.removeItem(name);

/**
 * Runs a task as the only one of this browser that uses a name, so that the same file in two tabs or two elements does not go
 * under one key. @param task is told whether it is the only one
 */
export async function alone<T>(name: string | undefined, task: (only: boolean) => Promise<T>): Promise<T> {
  const locks = globalThis.navigator?.locks;
  if (!name || !locks) return task(false);
  return (await locks.request(name, { ifAvailable: true }, (lock) => task(lock !== null))) as T;
}

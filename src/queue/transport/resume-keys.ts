import { IDEMPOTENCY } from '../../protocol/limits.js';
import type { QueueItem } from '../queue-item.js';

// What outlives a reload: under which `Idempotency-Key` a file was being uploaded, so that the service can tell how much of it is
// there when it is chosen again. The key opens nothing by itself, and neither a token nor a file's name is stored.

interface Entry {
  key: string;
  /** When it was first used, `Date.now()`. */
  at: number;
}

const PREFIX = 'svc-uploader:';
/** Milliseconds after which an entry of an upload that nobody went on with is swept out. */
const KEPT = 7 * 86_400_000;

/** Absent or refused in private windows, sandboxed frames and Node: then nothing is remembered. */
function storage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** Part of every digest, so that no key is found that was remembered by path, size and date alone, as releases before this one did. */
const FORMAT = '2';

/**
 * The entry's name for a file on this page: a digest, as nobody's file names belong in storage.
 * @returns undefined outside secure contexts, and for a photo whose bytes were changed: what a page made of it is not the file that is
 * chosen again, so its upload goes on within the same page view only
 */
export async function storageKeyOf(endpoint: string, item: QueueItem): Promise<string | undefined> {
  const { identity, sample, preparation } = item;
  if (!globalThis.crypto?.subtle || !storage() || !sample || item.isPrepared) return undefined;
  const facts = [FORMAT, endpoint, globalThis.location?.pathname, identity, sample, preparation?.settings];
  const text = new TextEncoder().encode(JSON.stringify(facts));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return `${PREFIX}${btoa(String.fromCharCode(...digest))}`;
}

function read(name: string): Entry | undefined {
  try {
    const entry = JSON.parse(storage()?.getItem(name) ?? '') as Entry;
    return typeof entry.key === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}

export function readResumeKey(name: string): string | undefined {
  const entry = read(name);
  return entry && Date.now() - entry.at < IDEMPOTENCY.keepSeconds * 1000 ? entry.key : undefined;
}

/** Sweeps out what was abandoned, too. */
export function saveResumeKey(name: string, key: string): void {
  try {
    for (const one of Object.keys(storage() ?? {}))
      if (one.startsWith(PREFIX) && Date.now() - (read(one)?.at ?? Number.NaN) > KEPT) deleteResumeKey(one);
    storage()?.setItem(name, JSON.stringify({ key, at: Date.now() } satisfies Entry));
  } catch {
    // A full storage costs the resumption after a reload and nothing else.
  }
}

export function deleteResumeKey(name: string): void {
  try {
    storage()?.removeItem(name);
  } catch {
    // The entry is swept out later. A file that is stored must not fail because of it.
  }
}

/**
 * Runs a task as the only one of this browser that uses a name, so that the same file in two tabs or two elements does not go
 * under one key. @param task is told whether it is the only one
 */
export async function withExclusiveLock<T>(name: string | undefined, task: (only: boolean) => Promise<T>): Promise<T> {
  const locks = globalThis.navigator?.locks;
  if (!name || !locks) return task(false);
  let hasBegun = false;
  try {
    return (await locks.request(name, { ifAvailable: true }, (lock) => {
      hasBegun = true;
      return task(lock !== null);
    })) as T;
  } catch (error) {
    if (hasBegun) throw error;
    // Browsers refuse locks where they refuse storage.
    return task(false);
  }
}

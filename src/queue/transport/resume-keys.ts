import { IDEMPOTENCY } from '../../protocol/limits.js';
import type { QueueItem } from '../queue-item.js';
import { forgetInterrupted } from './interrupted-uploads.js';

// The `Idempotency-Key` of each resumable upload survives a reload. When the file is chosen again, the service says how much of it is
// stored. The key alone grants nothing. Tokens and file names are not stored here.

interface Entry {
  key: string;
  /** Time of the first use, `Date.now()`. */
  at: number;
}

const PREFIX = 'svc-uploader:';
/** Milliseconds after which an abandoned entry is deleted. */
const MAX_AGE_MS = 7 * 86_400_000;

/** Returns the storage; undefined in Node, and if a private window or a sandboxed frame refuses it. */
function storage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** Version of the entries. Earlier releases identified a file by path, size and date alone. */
const FORMAT = '2';

/**
 * Computes the name of a file's entry: a digest, because file names do not belong in storage.
 * @returns undefined outside secure contexts, and for a photo whose bytes the page changed, because another visit may change them differently
 */
export async function storageKeyOf(endpoint: string, item: QueueItem): Promise<string | undefined> {
  const { identity, sample, preparation, metadata } = item;
  if (!globalThis.crypto?.subtle || !storage() || !sample || item.isPrepared) return undefined;
  // With other metadata, the upload starts over: the service keeps the metadata of its first request.
  const described = metadata === undefined ? [] : [metadata];
  const attributes = [FORMAT, endpoint, globalThis.location?.pathname, identity, sample, preparation?.settings, ...described];
  const text = new TextEncoder().encode(JSON.stringify(attributes));
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

/** Returns the key of an upload, unless the service has forgotten it. */
export function readResumeKey(name: string): string | undefined {
  const entry = read(name);
  return entry && Date.now() - entry.at < IDEMPOTENCY.keepSeconds * 1000 ? entry.key : undefined;
}

/** Saves the key of an upload and deletes expired entries. */
export function saveResumeKey(name: string, key: string): void {
  try {
    for (const name of Object.keys(storage() ?? {})) {
      if (name.startsWith(PREFIX) && Date.now() - (read(name)?.at ?? Number.NaN) > MAX_AGE_MS) deleteResumeKey(name);
    }
    storage()?.setItem(name, JSON.stringify({ key, at: Date.now() } satisfies Entry));
  } catch {
    // With a full storage the upload only cannot continue after a reload.
  }
}

/** Deletes the key of an upload. The upload is not listed any more. */
export function deleteResumeKey(name: string): void {
  forgetInterrupted(name);
  try {
    storage()?.removeItem(name);
  } catch {
    // The entry is deleted later. A stored file must not fail because of it.
  }
}

/**
 * Runs a task while no other task of this browser holds the lock of the same name. The same file in two tabs or elements must not use
 * one key.
 * @param task gets whether it holds the lock
 */
export async function withExclusiveLock<T>(name: string | undefined, task: (hasLock: boolean) => Promise<T>): Promise<T> {
  const locks = globalThis.navigator?.locks;
  if (!name || !locks) return task(false);
  let hasStarted = false;
  try {
    return (await locks.request(name, { ifAvailable: true }, (lock) => {
      hasStarted = true;
      return task(lock !== null);
    })) as T;
  } catch (error) {
    if (hasStarted) throw error;
    // Browsers that refuse storage refuse locks as well.
    return task(false);
  }
}

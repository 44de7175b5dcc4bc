/** A reloaded page releases its journal within this time. Another tab does not. Milliseconds. */
const LOCK_TIMEOUT_MS = 500;

/**
 * Locks a name, or the first free of `name (2)`, `name (3)`, … if another tab holds it.
 * @returns the locked name, and a function that releases it
 */
export async function acquireName(name: string): Promise<[name: string, release: () => void]> {
  // Browsers provide locks only to pages that were loaded by https: or from localhost.
  if (navigator.locks === undefined) return [name, () => {}];
  for (let number = 1; ; number++) {
    const numberedName = number === 1 ? name : `${name} (${number})`;
    const release = await acquireLock(lockNameOf(numberedName));
    if (release !== undefined) return [numberedName, release];
  }
}

/** Calls `work` while it holds a name. Does nothing if another tab holds it. */
export async function withLock(name: string, work: () => Promise<void>): Promise<void> {
  await navigator.locks?.request(lockNameOf(name), { ifAvailable: true }, (lock) => lock && work());
}

const lockNameOf = (name: string): string => `svc-uploader-s3 ${name}`;

/** @returns a function that releases the lock; undefined if another tab holds it */
function acquireLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(LOCK_TIMEOUT_MS);
    const request = navigator.locks.request(name, { signal }, () => new Promise<void>((release) => resolve(release)));
    request.catch((error: unknown) => (signal.aborted ? resolve(undefined) : reject(error as DOMException)));
  });
}

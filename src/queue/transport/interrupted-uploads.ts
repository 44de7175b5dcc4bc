import { UPLOAD_GRACE_SECONDS } from '../../protocol/limits.js';
import { INTERRUPTED_KEY } from '../has-interrupted-uploads.js';
import type { QueueItem } from '../queue-item.js';

// Resumable uploads that a reload interrupts are listed when the page is open again. Their file names are kept in `sessionStorage`:
// no other tab reads it, and it ends with the tab. The key that continues an upload is in `resume-keys.ts`, without a name.

/** An upload that was begun and is not finished. */
export interface InterruptedUpload {
  /** The element and its page, see `QueueOptions.resumeScope`. */
  scope: string;
  name: string;
  relativePath: string;
  size: number;
  type: string;
  /** Path, size and date of the file, see `QueueItem.identity`. */
  identity: string;
  /** Digest of a sample of the bytes. The service asks for it when the upload is ended. */
  sample: string;
  /** Bytes that were sent. The service may have stored fewer. */
  sent: number;
  /** `Date.now()` time after which the service may have deleted the upload. */
  expiresAt: number;
  /** The visit that sent the bytes last. */
  visit: number;
}

/** Most uploads that are listed. Older ones continue as well if their files are chosen. */
const MAX_ENTRIES = 100;

/** Differs in each visit of a page. */
const currentVisit = (): number => performance.timeOrigin;

type Entries = Record<string, InterruptedUpload>;

function readAll(): Entries {
  try {
    return Object(JSON.parse(sessionStorage.getItem(INTERRUPTED_KEY) ?? '{}')) as Entries;
  } catch {
    return {};
  }
}

function writeAll(entries: Entries): void {
  try {
    const newest = Object.entries(entries).slice(-MAX_ENTRIES);
    if (newest.length === 0) sessionStorage.removeItem(INTERRUPTED_KEY);
    else sessionStorage.setItem(INTERRUPTED_KEY, JSON.stringify(Object.fromEntries(newest)));
  } catch {
    // A sandbox forbids storage, or the storage is full. The upload is only not listed after a reload.
  }
}

/** @param name name of the upload's entry in `resume-keys.ts` */
export function saveInterrupted(name: string, item: QueueItem, scope: string, sent: number): void {
  const { relativePath, size, type, identity, sample = '' } = item;
  const tokenExpiry = item.token?.expiresAt ?? Date.now();
  const expiresAt = tokenExpiry + UPLOAD_GRACE_SECONDS * 1000;
  const upload = { scope, name: item.name, relativePath, size, type, identity, sample, sent, expiresAt, visit: currentVisit() };
  writeAll({ ...readAll(), [name]: upload });
}

export function forgetInterrupted(name: string): void {
  const { [name]: forgotten, ...others } = readAll();
  if (forgotten) writeAll(others);
}

/** Returns the uploads that earlier visits of this tab began in one element, with the names of their entries. */
export const listInterrupted = (scope: string): [name: string, upload: InterruptedUpload][] =>
  Object.entries(readAll()).filter(
    ([, upload]) => upload.scope === scope && upload.visit !== currentVisit() && upload.expiresAt > Date.now(),
  );

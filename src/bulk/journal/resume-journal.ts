import { S3Error } from '../errors.js';

/** The journal of a run, from which the next run of the same command resumes. */

/** A week: pages remember what is done so long, and end what nobody came back for. */
export const RETENTION_MS = 7 * 86_400_000;

export interface JournalPart {
  number: number;
  /** Uploads: the part's ETag. */
  etag: string;
  /** Uploads: that of `Store.checksum`. Downloads: that which the store keeps of the object, else CRC32. */
  checksum: string;
}

/** One large file under way. */
export interface Unfinished {
  key: string;
  /** Which way, and of which bucket: `to bucket`, `from bucket`. Undefined in what earlier releases noted. */
  place?: string;
  size: number;
  /**
   * Identifies what the parts belong to. For an upload: the source's state, the checksum algorithm and the properties. For a
   * copy: its source and that object's ETag. For a download: the ETag.
   */
  version: string;
  partSize: number;
  /** Undefined when the run ended between asking for an upload and hearing of it. */
  uploadId?: string;
  /** The store's time at which the upload was asked for. */
  begunMs: number;
  /** When the last part was noted. Undefined before the first. */
  usedMs?: number;
  /** For a download: tells this run's partial file from those of others at the same path. */
  own?: string | undefined;
  parts: Map<number, JournalPart>;
}

/** For one run, which closes it, or one session, which leaves that to the caller; and for one store. */
export interface Journal {
  /** Whether a later run can find what this one leaves. */
  readonly resumable: boolean;
  /** Whether an earlier run settled exactly this. FingerprintSet name a key and the versions of both sides. */
  isCompleted(fingerprint: string): boolean;
  /** @param etag of the object that was made, for journals that keep it. */
  complete(fingerprint: string, etag?: string): void;
  /** The ETag of the object that an earlier run made of exactly this: a listing that tells it shows that it still stands. */
  completedEtag?(fingerprint: string): string | undefined;
  /** Unfinished files by key, at least those of earlier runs. */
  readonly unfinished: ReadonlyMap<string, Unfinished>;
  /** Whether this run has begun, or ended, this key itself. */
  seen(key: string): boolean;
  /** Durable when it returns, or has resolved: what is begun in the store after this can always be found and ended. */
  begin(file: Omit<Unfinished, 'parts' | 'uploadId'>): void | Promise<void>;
  /** Durable when it returns. */
  setUploadId(key: string, uploadId: string): void | Promise<void>;
  addPart(key: string, part: JournalPart): void;
  end(key: string): void;
  /** Writes out what is still held. `keep`: whether a next run has anything to learn from it. */
  close(keep: boolean): void;
  /** Whether it was closed and serves no other run. */
  readonly closed?: boolean;
}

/** @throws S3Error `InvalidOption` */
export function requireOpen({ closed }: Journal): void {
  if (closed) throw new S3Error('InvalidOption', 'journal: it was closed by the run it was given to. Make one for each run.');
}

export const journalPlace = (way: 'to' | 'from', bucket: string): string => `${way} ${bucket}`;

export const isAtPlace = (file: Unfinished, place: string): boolean => file.place === undefined || file.place === place;

/**
 * Returns the unfinished file of a key.
 * @throws S3Error `InvalidOption` if it belongs to another place: beginning here would forget it there
 */
export function findUnfinished(journal: Journal, key: string, place: string): Unfinished | undefined {
  const file = journal.unfinished.get(key);
  if (file === undefined || isAtPlace(file, place)) return file;
  const why = `it has ${key} unfinished ${file.place}, and would forget that. Take one for each bucket, and each way.`;
  throw new S3Error('InvalidOption', `journal: ${why}`);
}

/** The journal of a run that is not meant to be resumed. */
export class EmptyJournal implements Journal {
  readonly resumable = false;
  readonly unfinished: ReadonlyMap<string, Unfinished> = new Map();
  isCompleted(_fingerprint: string): boolean {
    return false;
  }
  complete(): void {}
  seen(): boolean {
    return false;
  }
  begin(): void {}
  setUploadId(): void {}
  addPart(): void {}
  end(): void {}
  close(): void {}
}

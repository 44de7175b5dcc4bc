import { S3Error } from '../errors.js';

/** A week. After this time, completed files are forgotten and unfinished uploads are aborted. Milliseconds. */
export const RETENTION_MS = 7 * 86_400_000;

/** A part that was uploaded, or a range that was downloaded. */
export interface JournalPart {
  number: number;
  /** ETag of an uploaded part; empty for a download. */
  etag: string;
  /** Checksum of the bytes. Uploads use the algorithm of the store's configuration, downloads that of the object, else CRC32. */
  checksum: string;
}

/** A large file whose transfer has begun and has not ended. */
export interface Unfinished {
  key: string;
  /** Direction and bucket: `to bucket` or `from bucket`. Undefined in entries of earlier releases. */
  place?: string;
  size: number;
  /**
   * Identifies what the parts belong to. For an upload: the source's state, the checksum algorithm and the properties. For a
   * copy: its source and that object's ETag. For a download: the ETag.
   */
  version: string;
  partSize: number;
  /** Undefined if the run ended before the store responded to the request for an upload. */
  uploadId?: string;
  /** The store's time when the upload was requested. */
  begunMs: number;
  /** When the last part was recorded. Undefined before the first. */
  usedMs?: number;
  /** For a download: part of the name of its partial file. It differs from that of other runs with the same path. */
  own?: string | undefined;
  parts: Map<number, JournalPart>;
}

/**
 * Records what a transfer has done, so that a later run of the same command can resume it. A journal serves one store and one run, which
 * closes it, or one upload session, whose caller closes it.
 */
export interface Journal {
  /** Whether a later run can read what this run records. */
  readonly resumable: boolean;
  /** Returns whether an earlier run has completed this. A fingerprint names a key and the versions of both sides. */
  isCompleted(fingerprint: string): boolean;
  /** Records a completed file. @param etag ETag of the stored object, for journals that keep it */
  complete(fingerprint: string, etag?: string): void;
  /** Returns the ETag that `complete` recorded. A listing with the same ETag shows that the object is unchanged. */
  completedEtag?(fingerprint: string): string | undefined;
  /** Unfinished files of earlier runs by key; files of this run may be included. */
  readonly unfinished: ReadonlyMap<string, Unfinished>;
  /** Returns whether this run has begun or ended the transfer of this key. */
  seen(key: string): boolean;
  /** Records a file before its upload is requested. Durable when it returns or resolves, so that every upload in the store is known. */
  begin(file: Omit<Unfinished, 'parts' | 'uploadId'>): void | Promise<void>;
  /** Records the id of an upload. Durable when it returns or resolves. */
  setUploadId(key: string, uploadId: string): void | Promise<void>;
  /** Records a finished part. */
  addPart(key: string, part: JournalPart): void;
  /** Records that the transfer of a key has ended, whether it succeeded or not. */
  end(key: string): void;
  /** Writes pending records and closes the journal. @param keep whether a later run can resume something */
  close(keep: boolean): void;
  /** Whether the journal is closed. A closed journal is refused. */
  readonly closed?: boolean;
}

/** Refuses a closed journal. @throws S3Error `InvalidOption` */
export function requireOpen({ closed }: Journal): void {
  if (closed)
    throw new S3Error('InvalidOption', 'journal is closed, because an earlier run used it. Create a journal for each run.');
}

/** Returns the `place` of an unfinished file. */
export const journalPlace = (direction: 'to' | 'from', bucket: string): string => `${direction} ${bucket}`;

/** Returns whether an unfinished file belongs to a place. Entries of earlier releases belong to every place. */
export const isAtPlace = (file: Unfinished, place: string): boolean => file.place === undefined || file.place === place;

/**
 * Returns the unfinished file of a key.
 * @throws S3Error `InvalidOption` if it belongs to another place. A transfer here would overwrite its entry
 */
export function findUnfinished(journal: Journal, key: string, place: string): Unfinished | undefined {
  const file = journal.unfinished.get(key);
  if (file === undefined || isAtPlace(file, place)) return file;
  const reason = `journal contains an unfinished transfer of ${key} ${file.place}.`;
  throw new S3Error('InvalidOption', `${reason} Use a journal for each bucket and direction.`);
}

/** The journal of a run that cannot be resumed. It records nothing. */
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

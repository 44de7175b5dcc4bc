import type { FileRecord } from './types.js';

/** A file that a transport sends. */
export interface TransportFile {
  /** The same id for as long as the file is in the list. */
  readonly id: string;
  readonly file: File;
  readonly name: string;
  readonly size: number;
  /** `folder/sub/name` for a file of a dropped or picked folder, otherwise ''. */
  readonly relativePath: string;
  /** The filled-in fields of the file, by name; absent without any. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Whether the page changed the bytes of this photo (`strip-location`, `resize`). Size and date may be those of the original. */
  readonly isPrepared?: boolean;
}

/** Callbacks for the progress of a transport, and the signal that stops it. Numbers are bytes since the start of the file. */
export interface TransportContext {
  /** Reports the bytes sent so far. A lower number than before is not shown. */
  progress(sent: number): void;
  /** Reports the bytes that were stored before this attempt. They do not count for the speed. */
  resumed(stored: number): void;
  /** Aborts when the upload is paused, cancelled or offline. End the request and keep the stored bytes. */
  signal: AbortSignal;
}

/**
 * Sends files to another store than Blob Storage. The element keeps its list, checks, pause, retry and form. A transport uses its
 * own credentials and detects stalled requests itself. `s3Transport` of `svc-uploader/s3` is one for any S3 store.
 */
export interface Transport {
  /** Whether `send` also receives the empty folders of a drop: files of 0 bytes whose `relativePath` ends with a slash. */
  readonly folders?: boolean;
  /**
   * Sends one file.
   * @returns the stored file; `sha256` is '' if the store does not return it
   * @throws BlobError. The element retries if there was no response, and after status 408, 425, 429 and 5xx except 501 and 507.
   */
  send(file: TransportFile, context: TransportContext): Promise<FileRecord>;
  /** Deletes the parts of a file that the person removed from the list before it was stored. */
  abandon?(file: TransportFile): void;
}

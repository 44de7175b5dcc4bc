import type { FileRecord } from './types.js';

/** A chosen file as a transport sees it. */
export interface TransportFile {
  /** Stable while the file stands in the list. */
  readonly id: string;
  readonly file: File;
  readonly name: string;
  readonly size: number;
  /** `folder/sub/name` for a file of a dropped or picked folder, else ''. */
  readonly relativePath: string;
  /** The page changed the bytes of this photo (`strip-location`, `resize`): size and date may still be those of the original. */
  readonly isPrepared?: boolean;
}

/** How a transport tells how far it is. Counts are bytes of the file, all told. */
export interface TransportContext {
  /** Bytes on their way or there; what runs backwards is not shown. */
  progress(sent: number): void;
  /** Bytes that were there before: they say nothing about the speed. */
  resumed(there: number): void;
  /** Paused, cancelled or offline: end the request and keep what is stored. */
  signal: AbortSignal;
}

/**
 * Another way for files than to Blob Storage with a token, under the same element: its list, checks, pause, retry and form stay.
 * A transport brings its own credentials and watches itself that it moves. `svc-uploader/s3` has one for any S3 store.
 */
export interface Transport {
  /** Takes empty folders of a drop too: files of 0 bytes whose `relativePath` ends in a slash. */
  readonly folders?: boolean;
  /**
   * Sends one file.
   * @returns what is stored; `sha256` is '' where the store does not tell it
   * @throws BlobError: one that may pass (no answer, 408, 425, 429, 5xx) is followed by another try
   */
  send(file: TransportFile, context: TransportContext): Promise<FileRecord>;
  /** The person took a file off the list that was begun and is not stored: frees what the store holds of it. */
  abandon?(file: TransportFile): void;
}

import type { RejectCode, UploadItem } from '../queue/types.js';
import type { BlobError } from '../protocol/errors.js';
import type { FileRecord } from '../protocol/types.js';

/** The element's own events by name. They bubble and cross shadow roots, so that a page can listen on any ancestor. */
export interface SvcUploaderEvents {
  /**
   * A file is about to be added. `preventDefault()` skips it. If the service will fetch it, `url` is its address, and `file` is empty and only
   * has a name.
   */
  'svc-file-add': CustomEvent<{ file: File; relativePath: string; url?: string | undefined }>;
  /** A file was refused before a byte was sent. `message` is in the reader's language. */
  'svc-file-reject': CustomEvent<{
    id: string;
    file: File | null;
    code: RejectCode;
    message: string;
    details: Readonly<Record<string, unknown>>;
  }>;
  /** A file's first request begins. */
  'svc-upload-start': CustomEvent<{ id: string; file: File | null }>;
  /** More bytes of the file are sent. `sent` never decreases. `size` is 0 while it is unknown. */
  'svc-upload-progress': CustomEvent<{ id: string; file: File | null; sent: number; size: number }>;
  /** The file is stored. `record` is the response of the service, and `fields` has the filled-in fields by name. */
  'svc-upload-success': CustomEvent<{
    id: string;
    file: File | null;
    record: FileRecord;
    fields: Readonly<Record<string, string>>;
  }>;
  /** The upload of the file failed, and is not retried automatically. */
  'svc-upload-error': CustomEvent<{ id: string; file: File | null; error: BlobError; message: string }>;
  /** An attempt failed, and another one follows automatically. */
  'svc-upload-retry': CustomEvent<{ id: string; file: File | null; error: BlobError; attempt: number }>;
  /** A request made no progress and is sent again. */
  'svc-upload-stall': CustomEvent<{ id: string; file: File | null }>;
  /** No file is queued or being sent any more. */
  'svc-complete': CustomEvent<{ successful: UploadItem[]; failed: UploadItem[] }>;
}

declare global {
  interface HTMLElementEventMap extends SvcUploaderEvents {}
  interface ShadowRootEventMap extends SvcUploaderEvents {}
  interface DocumentEventMap extends SvcUploaderEvents {}
}

type Detail<K extends keyof SvcUploaderEvents> = SvcUploaderEvents[K]['detail'];

/**
 * Fires one of the element's own events.
 *
 * @returns false if a listener called `preventDefault()`
 */
export function emit<K extends keyof SvcUploaderEvents>(host: HTMLElement, type: K, detail: Detail<K>): boolean {
  const cancelable = type === 'svc-file-add';
  return host.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, cancelable, detail }));
}

/** Fires `input` and `change` as a native control does. */
export function emitChange(host: HTMLElement): void {
  host.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  host.dispatchEvent(new Event('change', { bubbles: true }));
}

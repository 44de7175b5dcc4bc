import type { RejectCode, UploadItem } from '../queue/types.js';
import type { BlobError } from '../protocol/errors.js';
import type { FileRecord } from '../protocol/types.js';

/** Every event of ours by name. They bubble and cross shadow roots, so that a page may listen where it likes. */
export interface SvcUploaderEvents {
  /** A file is about to be added; `preventDefault()` leaves it out. */
  'svc-file-add': CustomEvent<{ file: File; relativePath: string }>;
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
  /** Bytes of the file that are sent; never runs backwards. */
  'svc-upload-progress': CustomEvent<{ id: string; file: File | null; sent: number; size: number }>;
  /** The file is stored; `record` is what the service answered. */
  'svc-upload-success': CustomEvent<{ id: string; file: File | null; record: FileRecord }>;
  /** The file was given up on. */
  'svc-upload-error': CustomEvent<{ id: string; file: File | null; error: BlobError; message: string }>;
  /** A try failed and another follows by itself. */
  'svc-upload-retry': CustomEvent<{ id: string; file: File | null; error: BlobError; attempt: number }>;
  /** A request stopped moving and is begun anew. */
  'svc-upload-stall': CustomEvent<{ id: string; file: File | null }>;
  /** Nothing is queued or in flight any more. */
  'svc-complete': CustomEvent<{ successful: UploadItem[]; failed: UploadItem[] }>;
}

declare global {
  interface HTMLElementEventMap extends SvcUploaderEvents {}
  interface ShadowRootEventMap extends SvcUploaderEvents {}
  interface DocumentEventMap extends SvcUploaderEvents {}
}

type Detail<K extends keyof SvcUploaderEvents> = SvcUploaderEvents[K]['detail'];

/** @returns false when a listener called `preventDefault()`. */
export function emit<K extends keyof SvcUploaderEvents>(host: HTMLElement, type: K, detail: Detail<K>): boolean {
  const cancelable = type === 'svc-file-add';
  return host.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, cancelable, detail }));
}

/** `input` and `change` as a native control fires them. */
export function emitChange(host: HTMLElement): void {
  host.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  host.dispatchEvent(new Event('change', { bubbles: true }));
}

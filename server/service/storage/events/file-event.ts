import type { WebhookEvent } from '../../drivers/metadata/webhook-tables.js';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { StoredFile } from '../types.js';

/** The properties of a file that an event describes. */
export type EventFile = Omit<StoredFile, 'parts' | 'checksums' | 'checksumType' | 'tags' | 'headers'>;

/** The content of an event, as it is stored until its delivery. */
export interface EventData {
  /** The file after the change; the last state of a deleted file. Absent for `upload.failed`. */
  file?: EventFile;
  /** The path before a move. */
  previous_path?: string;
  /** The cause of a deletion. */
  reason?: 'deleted' | 'replaced' | 'expired';
  /** The upload that failed. */
  upload?: { path: string; code: string; message: string };
}

export interface FileEvent {
  type: WebhookEvent;
  /** Paths of which one must be in the folder of a webhook. */
  paths: string[];
  data: EventData;
}

function eventFile(stored: StoredFile): EventFile {
  const { parts: _, checksums: __, checksumType: ___, tags: ____, headers: _____, ...file } = stored;
  return file;
}

export const fileCreated = (file: StoredFile): FileEvent => ({
  type: 'file.created',
  paths: [file.key],
  data: { file: eventFile(file) },
});

/** @param previousPath the path before a move. */
export const fileUpdated = (file: StoredFile, previousPath = file.key): FileEvent => ({
  type: 'file.updated',
  paths: [...new Set([file.key, previousPath])],
  data: { file: eventFile(file), ...(previousPath !== file.key && { previous_path: previousPath }) },
});

export const fileDeleted = (file: StoredFile, reason: NonNullable<EventData['reason']>): FileEvent => ({
  type: 'file.deleted',
  paths: [file.key],
  data: { file: eventFile(file), reason },
});

/** Describes the result of a virus scan, which is in the file. */
export const fileScanned = (file: StoredFile): FileEvent => ({
  type: 'file.scanned',
  paths: [file.key],
  data: { file: eventFile(file) },
});

/** @param cause without a `BlobError`, the upload was interrupted. */
export function uploadFailed(path: string, cause: unknown): FileEvent {
  const { code, message } =
    cause instanceof BlobError ? cause : { code: 'INTERRUPTED', message: 'The upload was interrupted before its end.' };
  return { type: 'upload.failed', paths: [path], data: { upload: { path, code, message } } };
}

/** Refusals by which the service declines an upload. The sender learns them at once, so they are no failures of an upload. */
const REFUSALS = new Set(['FILE_EXISTS', 'PRECONDITION_FAILED', 'FILE_NOT_FOUND', 'BLOCKED_FILE_TYPE', 'STORAGE_FULL']);

/** @returns false for refusals of the request and of its credential. */
export function isUploadFailure(cause: unknown): boolean {
  if (!(cause instanceof BlobError)) return true;
  return !REFUSALS.has(cause.code) && cause.status !== 401 && cause.status !== 403;
}

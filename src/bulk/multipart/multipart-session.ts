import type { JournalPart } from '../journal/resume-journal.js';
import type { StoredPart } from '../s3/commands/list-parts.js';
import type { UploadRef } from '../s3/commands/upload-ref.js';
import type { ObjectProperties } from '../types.js';

/** One multipart upload, from the request that created or found it to its end. */
export interface MultipartSession {
  upload: UploadRef;
  /** Parts that need not be sent again, by number. */
  completed: Map<number, JournalPart>;
  /** Stored parts whose response an earlier run did not receive, by number. A part with the same bytes need not be sent again. */
  unacknowledged: Map<number, StoredPart>;
  /** ETag of the complete object. Set if an earlier run ended after it completed the upload and before it recorded that. */
  finishedEtag?: string;
  tags?: string | undefined;
}

/** The object that a multipart upload shall create. */
export interface MultipartPlan {
  bucket: string;
  key: string;
  /** Bytes of the object. Negative for a stream: it cannot be read again, so nothing of it can be resumed. */
  size: number;
  /** Identifies the bytes of the source. */
  version: string;
  /**
   * Identifies the state of the source file more strictly than `version`. It also changes if only the name or the rights of the
   * file change. The stored parts are then compared by their checksums.
   */
  stamp?: string | undefined;
  partSize: number;
  properties: ObjectProperties;
  /** The store copies the parts from another object. */
  copies?: true;
}

import { S3Error } from '../../errors.js';

/** Identifies a multipart upload. */
export interface UploadRef {
  bucket: string;
  key: string;
  uploadId: string;
}

/** Returns whether the store does not know an upload. Ceph reports `NoSuchKey` while it completes one. */
export const isUnknownUpload = (error: unknown): boolean =>
  error instanceof S3Error && (error.code === 'NoSuchUpload' || error.code === 'NoSuchKey');

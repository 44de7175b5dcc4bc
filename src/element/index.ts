import { register } from './register.js';

export * from './svc-uploader.js';
export type { SvcUploaderEvents } from './events.js';
export type { ErrorTexts } from './locales/error-messages.js';
export type { FileField } from './fields/read-fields.js';
export type { RejectCode, Rejection, TokenProvider, TokenRequest, UploadItem, UploadState } from '../queue/types.js';
export { BlobError } from '../protocol/errors.js';
export type {
  Transport,
  TransportContext,
  TransportFile,
  /** @deprecated Use `TransportContext`. */
  TransportContext as TransportPassage,
} from '../protocol/transport.js';
export type { FileRecord, StoredFile, SuppliedToken, TokenGrant } from '../protocol/types.js';

register();

import { register } from './register.js';

export * from './element.js';
export type { SvcUploaderEvents } from './events.js';
export type { RejectCode, Rejection, TokenProvider, TokenRequest, UploadItem, UploadState } from '../engine/types.js';
export { BlobError } from '../protocol/errors.js';
export type { Transport, TransportFile, TransportPassage } from '../protocol/transport.js';
export type { FileRecord, StoredFile, SuppliedToken, TokenGrant } from '../protocol/types.js';

register();

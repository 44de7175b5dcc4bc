import { SvcUploader } from './element.js';

export * from './element.js';
export type { SvcUploaderEvents } from './events.js';
export type { RejectCode, Rejection, TokenProvider, TokenRequest, UploadItem, UploadState } from '../engine/types.js';
export { BlobError } from '../protocol/errors.js';
export type { FileRecord, TokenGrant } from '../protocol/types.js';

if (typeof customElements !== 'undefined' && !customElements.get('svc-uploader'))
  customElements.define('svc-uploader', SvcUploader);

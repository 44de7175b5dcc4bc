/** `svc-uploader/server`: mints upload tokens and verifies webhooks in a site's backend. It has no dependency. */
export { createTokenMinter } from './minter.js';
export type { MintOptions, TokenPlace } from './mint-options.js';
export type { CallOptions, FileLink, LinkOptions, TokenMinter, TokenMinterOptions } from './minter.js';
export { createTokenRoute } from './route.js';
export type { Authorize, Granted, TokenLimits, TokenQuestion, TokenRoute, TokenRouteOptions } from './route.js';
export type { FilePreview, Preview, PreviewQuestion, VisibleIds } from './previews.js';
export { toNodeHandler } from './node.js';
export type { NodeHandlerOptions, NodeRequest, NodeResponse } from './node.js';
export { verifyWebhook } from './verify-webhook.js';
export type { ReceivedWebhook, VerifyWebhookOptions, WebhookEvent } from './verify-webhook.js';
export { BlobError } from '../../src/protocol/errors.js';
export type { ErrorCode } from '../../src/protocol/errors.js';
export type { ChosenFile, CreatedUploadToken, FileRecord, TokenGrant, UploadTokenOptions } from '../../src/protocol/types.js';

// Long because each route that a credential may use is one row.
import type { RequestTargets } from './credentials-setup.js';

export interface RouteRequest {
  path: string;
  json?: object;
  body?: string | FormData;
  headers?: Record<string, string>;
}

/** Expected responses (status and code) for: upload token for `a`, blob:read, blob:write, key of another account. */
type ExpectedResponses = [uploadToken: string, reader: string, writer: string, stranger: string];

const NOT_FOR_TOKENS = '403 BLOB_UPLOAD_TOKEN_CONSTRAINT';
const OUTSIDE_PREFIX = '403 BLOB_UPLOAD_TOKEN_CONSTRAINT';
const SCOPE = '403 API_KEY_SCOPE_DENIED';
const NO_FILE = '404 FILE_NOT_FOUND';
const NO_JOB = '404 JOB_NOT_FOUND';
const NOT_FOUND = '404 NOT_FOUND';

/** Responses of a route that requires blob:read. */
const reads = (stranger: string, success = '200'): ExpectedResponses => [NOT_FOR_TOKENS, success, SCOPE, stranger];
/** Responses of a route that requires blob:write. */
const writes = (stranger: string, success = '200'): ExpectedResponses => [NOT_FOR_TOKENS, SCOPE, success, stranger];
/** Responses of a route that requires blob:read and blob:write, which no limited key has. */
const needsBoth = (stranger: string): ExpectedResponses => [NOT_FOR_TOKENS, SCOPE, SCOPE, stranger];
/** Responses of a route that no key for Blob Storage may use. `access-matrix.test.ts` tests such routes with users. */
const forUsers: ExpectedResponses = [NOT_FOR_TOKENS, SCOPE, SCOPE, SCOPE];
/** Responses of a route that ignores credentials. */
const everyone = (response: string): ExpectedResponses => [response, response, response, response];

const NEW_KEY = { name: 'another', scopes: ['blob:read'] };
const NEW_WEBHOOK = { url: 'https://hooks.example.org/', events: ['file.created'], prefix: 'c' };
const form = (name = 'new.txt'): FormData => {
  const data = new FormData();
  data.append('file', new Blob(['new'], { type: 'text/plain' }), name);
  return data;
};
const tus = (more: Record<string, string> = {}) => ({ 'Tus-Resumable': '1.0.0', ...more });
const bytes = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
const tusTarget = (folder: string) =>
  tus({ 'Upload-Length': '3', 'Upload-Metadata': `filename ${btoa('tus.txt')},prefix ${btoa(folder)}` });

/**
 * Every route of /openapi.json, with a request that would succeed for a credential with all rights.
 * A request without credential, with an unknown or revoked key, or from a denied address has the same response on every route with access control.
 */
export const ROUTES: [route: string, responses: ExpectedResponses, request: (targets: RequestTargets) => RouteRequest][] = [
  ['get /v1/files', reads('200'), () => ({ path: '/v1/files' })],
  [
    'post /v1/files',
    [OUTSIDE_PREFIX, SCOPE, '201', '201'],
    ({ n }) => ({ path: `/v1/files?prefix=b/posted-${n}`, body: form() }),
  ],
  ['post /v1/files', ['201', SCOPE, '201', '201'], ({ n }) => ({ path: `/v1/files?prefix=a/posted-${n}`, body: form() })],
  [
    'put /v1/files/{path}',
    ['201', SCOPE, '409 FILE_EXISTS', '201'],
    (w) => ({ path: `/v1/files/${w.inside.path}`, body: 'new' }),
  ],
  [
    'put /v1/files/{path}',
    [OUTSIDE_PREFIX, SCOPE, '200', '201'],
    (w) => ({ path: `/v1/files/${w.outside.path}?overwrite=true`, body: 'new' }),
  ],
  [
    'put /v1/files/{path}',
    [OUTSIDE_PREFIX, SCOPE, '200', '201'],
    (w) => ({ path: `/v1/files/${w.inside.path}?overwrite=true`, body: 'new' }),
  ],
  [
    'post /v1/files/batch',
    ['200 BLOB_UPLOAD_TOKEN_CONSTRAINT', SCOPE, '200', '200'],
    ({ n }) => ({ path: `/v1/files/batch?prefix=b/batch-${n}`, body: form() }),
  ],
  [
    'post /v1/files/batch',
    ['200', SCOPE, '200', '200'],
    ({ n }) => ({ path: `/v1/files/batch?prefix=a/batch-${n}`, body: form() }),
  ],
  ['get /v1/files/zip', reads('200'), () => ({ path: '/v1/files/zip?prefix=b' })],
  ['get /v1/files/zip', reads(NO_FILE), (w) => ({ path: `/v1/files/zip?prefix=b&id=${w.outside.id}` })],
  ['get /v1/files/{id}', reads(NO_FILE), (w) => ({ path: `/v1/files/${w.outside.id}` })],
  ['get /v1/files/{id}/content', reads(NO_FILE), (w) => ({ path: `/v1/files/${w.outside.id}/content` })],
  ['get /v1/files/{id}/content', reads(NO_FILE), (w) => ({ path: `/v1/files/${w.inside.id}/content` })],
  [
    'patch /v1/files/{id}',
    writes(NO_FILE),
    (w) => ({ path: `/v1/files/${w.outside.id}`, json: { metadata: { changed: 'yes' } } }),
  ],
  ['patch /v1/files/{id}', needsBoth(NO_FILE), (w) => ({ path: `/v1/files/${w.outside.id}`, json: { visibility: 'public' } })],
  ['delete /v1/files/{id}', writes(NO_FILE), (w) => ({ path: `/v1/files/${w.outside.id}` })],
  ['delete /v1/files/{id}', writes(NO_FILE), (w) => ({ path: `/v1/files/${w.inside.id}` })],
  [
    'post /v1/files/{id}/copy',
    writes(NO_FILE, '201'),
    (w) => ({ path: `/v1/files/${w.outside.id}/copy`, json: { path: `a/copy-${w.n}` } }),
  ],
  [
    'post /v1/files/{id}/move',
    writes(NO_FILE),
    (w) => ({ path: `/v1/files/${w.outside.id}/move`, json: { path: `a/moved-${w.n}` } }),
  ],
  ['post /v1/files/delete', writes('200 FILE_NOT_FOUND'), (w) => ({ path: '/v1/files/delete', json: { ids: [w.outside.id] } })],
  [
    'post /v1/files/fetch',
    [NOT_FOR_TOKENS, SCOPE, '501 FETCH_DISABLED', '501 FETCH_DISABLED'],
    () => ({ path: '/v1/files/fetch', json: { url: 'https://files.example.org/x' } }),
  ],
  ['post /v1/folders', writes('201', '201'), (w) => ({ path: '/v1/folders', json: { path: `folders/${w.n}` } })],
  [
    'post /v1/jobs',
    writes('202', '202'),
    (w) => ({ path: '/v1/jobs', json: { type: 'visibility', visibility: 'private', ids: [w.outside.id] } }),
  ],
  [
    'post /v1/jobs',
    needsBoth('202'),
    (w) => ({ path: '/v1/jobs', json: { type: 'visibility', visibility: 'public', ids: [w.outside.id] } }),
  ],
  ['get /v1/jobs', reads('200'), () => ({ path: '/v1/jobs' })],
  ['get /v1/jobs/{id}', reads(NO_JOB, NO_JOB), () => ({ path: '/v1/jobs/job_unknown' })],
  ['post /v1/jobs/{id}/cancel', writes(NO_JOB, NO_JOB), () => ({ path: '/v1/jobs/job_unknown/cancel' })],
  ['post /v1/files/{id}/links', reads(NO_FILE, '201'), (w) => ({ path: `/v1/files/${w.outside.id}/links`, json: {} })],

  [
    'post /v1/uploads',
    [OUTSIDE_PREFIX, SCOPE, '201', '201'],
    ({ n }) => ({ path: '/v1/uploads', headers: tusTarget(`b/tus-${n}`) }),
  ],
  ['post /v1/uploads', ['201', SCOPE, '201', '201'], ({ n }) => ({ path: '/v1/uploads', headers: tusTarget(`a/tus-${n}`) })],
  ['head /v1/uploads/{id}', [NOT_FOUND, SCOPE, '200', NOT_FOUND], (w) => ({ path: w.upload, headers: tus() })],
  ['get /v1/uploads/{id}', [NOT_FOUND, SCOPE, '200', NOT_FOUND], (w) => ({ path: w.upload })],
  ['patch /v1/uploads/{id}', [NOT_FOUND, SCOPE, '200', NOT_FOUND], (w) => ({ path: w.upload, headers: tus(bytes), body: 'new' })],
  ['delete /v1/uploads/{id}', [NOT_FOUND, SCOPE, '204', NOT_FOUND], (w) => ({ path: w.upload, headers: tus() })],
  [
    'post /v1/uploads/{id}',
    [NOT_FOUND, SCOPE, '204', NOT_FOUND],
    (w) => ({ path: w.upload, headers: tus({ 'X-HTTP-Method-Override': 'DELETE' }) }),
  ],
  [
    'post /v1/uploads/{id}',
    [NOT_FOUND, SCOPE, '200', NOT_FOUND],
    (w) => ({ path: w.upload, headers: tus({ ...bytes, 'X-HTTP-Method-Override': 'PATCH' }), body: 'new' }),
  ],

  ['post /v1/upload-tokens', writes('201', '201'), () => ({ path: '/v1/upload-tokens', json: { prefix: 'b' } })],
  ['get /v1/upload-tokens', writes('200'), () => ({ path: '/v1/upload-tokens' })],
  ['get /v1/upload-tokens/{id}', writes(NOT_FOUND), (w) => ({ path: `/v1/upload-tokens/${w.tokenId}` })],
  ['delete /v1/upload-tokens/{id}', writes(NOT_FOUND), (w) => ({ path: `/v1/upload-tokens/${w.tokenId}` })],
  [
    'get /v1/upload-tokens/self',
    ['200', '401 BLOB_UPLOAD_TOKEN_INVALID', '401 BLOB_UPLOAD_TOKEN_INVALID', '401 BLOB_UPLOAD_TOKEN_INVALID'],
    () => ({ path: '/v1/upload-tokens/self' }),
  ],

  ['get /v1/shares', reads('200'), () => ({ path: '/v1/shares' })],
  ['post /v1/shares', needsBoth('201'), (w) => ({ path: '/v1/shares', json: { path: w.outside.path } })],
  ['get /v1/shares/{id}', reads(NOT_FOUND), (w) => ({ path: `/v1/shares/${w.share}` })],
  ['patch /v1/shares/{id}', needsBoth(NOT_FOUND), (w) => ({ path: `/v1/shares/${w.share}`, json: { max_downloads: 9 } })],
  ['delete /v1/shares/{id}', writes(NOT_FOUND), (w) => ({ path: `/v1/shares/${w.share}` })],

  ['get /v1/rules', reads('200'), () => ({ path: '/v1/rules' })],
  ['post /v1/rules', writes('201', '201'), ({ n }) => ({ path: '/v1/rules', json: { prefix: `c/new-${n}`, max_size: 1 } })],
  ['post /v1/rules', needsBoth('201'), ({ n }) => ({ path: '/v1/rules', json: { prefix: `c/open-${n}`, visibility: 'public' } })],
  ['get /v1/rules/{id}', reads(NOT_FOUND), (w) => ({ path: `/v1/rules/${w.rule}` })],
  ['patch /v1/rules/{id}', writes(NOT_FOUND), (w) => ({ path: `/v1/rules/${w.rule}`, json: { max_size: 9 } })],
  ['patch /v1/rules/{id}', needsBoth(NOT_FOUND), (w) => ({ path: `/v1/rules/${w.rule}`, json: { visibility: 'public' } })],
  ['delete /v1/rules/{id}', writes(NOT_FOUND), (w) => ({ path: `/v1/rules/${w.rule}` })],

  ['get /v1/domains', reads('200'), () => ({ path: '/v1/domains' })],
  ['post /v1/domains', writes('201', '201'), ({ n }) => ({ path: '/v1/domains', json: { host: `new-${n}.example.org` } })],
  ['get /v1/domains/{id}', reads(NOT_FOUND), (w) => ({ path: `/v1/domains/${w.domain}` })],
  ['patch /v1/domains/{id}', writes(NOT_FOUND), (w) => ({ path: `/v1/domains/${w.domain}`, json: { prefix: 'b' } })],
  ['delete /v1/domains/{id}', writes(NOT_FOUND), (w) => ({ path: `/v1/domains/${w.domain}` })],

  ['get /v1/webhooks', reads('200'), () => ({ path: '/v1/webhooks' })],
  ['post /v1/webhooks', needsBoth('201'), () => ({ path: '/v1/webhooks', json: NEW_WEBHOOK })],
  ['get /v1/webhooks/{id}', reads(NOT_FOUND), (w) => ({ path: `/v1/webhooks/${w.webhook}` })],
  ['patch /v1/webhooks/{id}', needsBoth(NOT_FOUND), (w) => ({ path: `/v1/webhooks/${w.webhook}`, json: { prefix: 'c' } })],
  ['post /v1/webhooks/{id}/rotate', needsBoth(NOT_FOUND), (w) => ({ path: `/v1/webhooks/${w.webhook}/rotate`, json: {} })],
  ['get /v1/webhooks/{id}/deliveries', reads(NOT_FOUND), (w) => ({ path: `/v1/webhooks/${w.webhook}/deliveries` })],
  [
    'get /v1/webhooks/{id}/deliveries/{delivery_id}',
    [NOT_FOR_TOKENS, NOT_FOUND, SCOPE, NOT_FOUND],
    (w) => ({ path: `/v1/webhooks/${w.webhook}/deliveries/msg_none` }),
  ],
  [
    'post /v1/webhooks/{id}/deliveries/{delivery_id}/repeat',
    needsBoth(NOT_FOUND),
    (w) => ({ path: `/v1/webhooks/${w.webhook}/deliveries/msg_none/repeat` }),
  ],
  ['delete /v1/webhooks/{id}', writes(NOT_FOUND), (w) => ({ path: `/v1/webhooks/${w.webhook}` })],

  ['get /v1/s3-credentials', reads('200'), () => ({ path: '/v1/s3-credentials' })],
  ['post /v1/s3-credentials', needsBoth('201'), () => ({ path: '/v1/s3-credentials', json: {} })],
  ['delete /v1/s3-credentials/{access_key_id}', writes(NOT_FOUND), (w) => ({ path: `/v1/s3-credentials/${w.pair}` })],
  ['get /v1/stats', reads('200'), () => ({ path: '/v1/stats' })],
  ['get /v1/stats/daily', reads('200'), () => ({ path: '/v1/stats/daily' })],
  ['get /v1/stats/folders', reads('200'), () => ({ path: '/v1/stats/folders' })],

  ['get /v1/users/me/api-keys', forUsers, () => ({ path: '/v1/users/me/api-keys' })],
  ['post /v1/users/me/api-keys', forUsers, () => ({ path: '/v1/users/me/api-keys', json: NEW_KEY })],
  ['patch /v1/users/me/api-keys/{id}', forUsers, () => ({ path: '/v1/users/me/api-keys/key_1', json: NEW_KEY })],
  ['post /v1/users/me/api-keys/{id}/rotate', forUsers, () => ({ path: '/v1/users/me/api-keys/key_1/rotate', json: {} })],
  ['delete /v1/users/me/api-keys/{id}', forUsers, () => ({ path: '/v1/users/me/api-keys/key_1' })],
  ['post /v1/users/me/generate-api-key', forUsers, () => ({ path: '/v1/users/me/generate-api-key' })],
  ['post /v1/users/me/downgrade', forUsers, () => ({ path: '/v1/users/me/downgrade' })],
  ['get /v1/workspaces', forUsers, () => ({ path: '/v1/workspaces' })],
  ['post /v1/workspaces', forUsers, () => ({ path: '/v1/workspaces', json: { name: 'x' } })],
  ['get /v1/workspaces/{id}', forUsers, () => ({ path: '/v1/workspaces/x' })],
  ['put /v1/workspaces/{id}', forUsers, () => ({ path: '/v1/workspaces/x', json: { name: 'x' } })],
  ['delete /v1/workspaces/{id}', forUsers, () => ({ path: '/v1/workspaces/x' })],
  ['post /v1/workspaces/{id}/transfer', forUsers, () => ({ path: '/v1/workspaces/x/transfer', json: { user_id: 'x' } })],
  ['get /v1/workspaces/{id}/members', forUsers, () => ({ path: '/v1/workspaces/x/members' })],
  ['put /v1/workspaces/{id}/members/{user_id}', forUsers, () => ({ path: '/v1/workspaces/x/members/x', json: { role_id: 'x' } })],
  ['delete /v1/workspaces/{id}/members/{user_id}', forUsers, () => ({ path: '/v1/workspaces/x/members/x' })],
  ['get /v1/workspaces/{id}/roles', forUsers, () => ({ path: '/v1/workspaces/x/roles' })],
  ['post /v1/workspaces/{id}/roles', forUsers, () => ({ path: '/v1/workspaces/x/roles', json: { name: 'x', permissions: [] } })],
  ['put /v1/workspaces/{id}/roles/{role_id}', forUsers, () => ({ path: '/v1/workspaces/x/roles/x', json: { name: 'x' } })],
  ['delete /v1/workspaces/{id}/roles/{role_id}', forUsers, () => ({ path: '/v1/workspaces/x/roles/x' })],
  ['get /v1/workspaces/{id}/invites', forUsers, () => ({ path: '/v1/workspaces/x/invites' })],
  ['post /v1/workspaces/{id}/invites', forUsers, () => ({ path: '/v1/workspaces/x/invites', json: { role_id: 'x' } })],
  ['delete /v1/workspaces/{id}/invites/{invite_id}', forUsers, () => ({ path: '/v1/workspaces/x/invites/x' })],
  ['get /v1/workspaces/invites/{token}', forUsers, () => ({ path: '/v1/workspaces/invites/x' })],
  ['post /v1/workspaces/invites/{token}/accept', forUsers, () => ({ path: '/v1/workspaces/invites/x/accept' })],
  ['post /v1/workspaces/invites/{token}/decline', forUsers, () => ({ path: '/v1/workspaces/invites/x/decline' })],
  ['get /v1/workspaces/{id}/activities', forUsers, () => ({ path: '/v1/workspaces/x/activities' })],
  ['get /v1/workspaces/{id}/activities/export', forUsers, () => ({ path: '/v1/workspaces/x/activities/export' })],
  ['get /v1/users/me/activities', forUsers, () => ({ path: '/v1/users/me/activities' })],
  ['get /v1/users/me/folders', forUsers, () => ({ path: '/v1/users/me/folders' })],
  ['post /v1/workspaces/{id}/folders', forUsers, () => ({ path: '/v1/workspaces/x/folders', json: { name: 'x' } })],
  [
    'patch /v1/workspaces/{id}/folders/{folder_id}',
    forUsers,
    () => ({ path: '/v1/workspaces/x/folders/x', json: { name: 'x' } }),
  ],
  ['delete /v1/workspaces/{id}/folders/{folder_id}', forUsers, () => ({ path: '/v1/workspaces/x/folders/x' })],
  [
    'put /v1/workspaces/{id}/folders/{folder_id}/resources/{resource_type}/{resource_id}',
    forUsers,
    () => ({ path: '/v1/workspaces/x/folders/x/resources/x/x' }),
  ],
  [
    'delete /v1/workspaces/{id}/folders/{folder_id}/resources/{resource_type}/{resource_id}',
    forUsers,
    () => ({ path: '/v1/workspaces/x/folders/x/resources/x/x' }),
  ],
  [
    'put /v1/workspaces/{id}/favorites/{resource_type}/{resource_id}',
    forUsers,
    () => ({ path: '/v1/workspaces/x/favorites/x/x' }),
  ],
  [
    'delete /v1/workspaces/{id}/favorites/{resource_type}/{resource_id}',
    forUsers,
    () => ({ path: '/v1/workspaces/x/favorites/x/x' }),
  ],
  ['post /v1/users/me/folders', forUsers, () => ({ path: '/v1/users/me/folders', json: { name: 'x' } })],
  ['patch /v1/users/me/folders/{folder_id}', forUsers, () => ({ path: '/v1/users/me/folders/x', json: { name: 'x' } })],
  ['delete /v1/users/me/folders/{folder_id}', forUsers, () => ({ path: '/v1/users/me/folders/x' })],
  [
    'put /v1/users/me/folders/{folder_id}/resources/{resource_type}/{resource_id}',
    forUsers,
    () => ({ path: '/v1/users/me/folders/x/resources/x/x' }),
  ],
  [
    'delete /v1/users/me/folders/{folder_id}/resources/{resource_type}/{resource_id}',
    forUsers,
    () => ({ path: '/v1/users/me/folders/x/resources/x/x' }),
  ],
  ['put /v1/users/me/favorites/{resource_type}/{resource_id}', forUsers, () => ({ path: '/v1/users/me/favorites/x/x' })],
  ['delete /v1/users/me/favorites/{resource_type}/{resource_id}', forUsers, () => ({ path: '/v1/users/me/favorites/x/x' })],
  [
    'post /v1/sessions',
    everyone('401 INVALID_CREDENTIALS'),
    ({ n }) => ({ path: '/v1/sessions', json: { email: `nobody-${n}@example.org`, password: 'wrong password' } }),
  ],
  ['delete /v1/sessions/current', forUsers, () => ({ path: '/v1/sessions/current' })],
  ['get /v1/users/me', forUsers, () => ({ path: '/v1/users/me' })],
  ['patch /v1/users/me', forUsers, () => ({ path: '/v1/users/me', json: { name: 'Ana' } })],
  [
    'post /v1/users/me/password',
    forUsers,
    () => ({ path: '/v1/users/me/password', json: { current_password: 'x', password: 'violet anchor tunnel' } }),
  ],
  ['get /v1/users/me/sessions', forUsers, () => ({ path: '/v1/users/me/sessions' })],
  ['delete /v1/users/me/sessions', forUsers, () => ({ path: '/v1/users/me/sessions' })],
  ['delete /v1/users/me/sessions/{id}', forUsers, () => ({ path: '/v1/users/me/sessions/ses_x' })],
  ['post /v1/users/invitations', forUsers, () => ({ path: '/v1/users/invitations', json: { email: 'new@example.org' } })],

  ['get /s/{id}', everyone('200'), (w) => ({ path: `/s/${w.openShare}` })],
  ['get /s/{id}', everyone('401 AUTH_TOKEN_MISSING'), (w) => ({ path: `/s/${w.lockedShare}` })],
  ['get /s/{id}/{path}', everyone('404 FILE_NOT_FOUND'), (w) => ({ path: `/s/${w.openShare}/x` })],
  ['get /f/{account}/{path}', everyone(NO_FILE), (w) => ({ path: `/f/main/${w.outside.path}` })],
  ['get /f/{account}/{path}', everyone(NO_FILE), (w) => ({ path: `/f/main/${w.inside.path}` })],
  ['get /.well-known/oauth-authorization-server', everyone('200'), () => ({ path: '/.well-known/oauth-authorization-server' })],
  ['get /.well-known/oauth-protected-resource', everyone('200'), () => ({ path: '/.well-known/oauth-protected-resource' })],
  [
    'get /.well-known/oauth-protected-resource/{path}',
    everyone('200'),
    () => ({ path: '/.well-known/oauth-protected-resource/v1' }),
  ],
  [
    'post /oauth/register',
    everyone('201'),
    () => ({ path: '/oauth/register', json: { redirect_uris: ['https://tool.example.org/callback'] } }),
  ],
  ['get /oauth/authorize', everyone('400'), () => ({ path: '/oauth/authorize' })],
  ['post /oauth/consent', everyone('400'), () => ({ path: '/oauth/consent' })],
  ['post /oauth/token', everyone('400'), () => ({ path: '/oauth/token' })],
  ['get /healthz', everyone('200'), () => ({ path: '/healthz' })],
  ['get /readyz', everyone('200'), () => ({ path: '/readyz' })],
  ['get /metrics', everyone('200'), () => ({ path: '/metrics' })],
  ['get /openapi.json', everyone('200'), () => ({ path: '/openapi.json' })],
  ['get /docs', everyone('200'), () => ({ path: '/docs' })],
];

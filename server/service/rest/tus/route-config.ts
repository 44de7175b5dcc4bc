import type { FastifyContextConfig } from 'fastify';
import type { HeaderName } from '../openapi/headers.js';

const access = { scope: 'blob:write', tokens: 'also' } as const;
/** Idempotency-Key is required only to continue an upload that another credential created. */
const headers = { 'Tus-Resumable': 'required', 'Idempotency-Key': 'optional' } as const;
const digests = { 'Upload-Checksum': 'optional', 'Repr-Digest': 'optional' } as const;

const tusHeaders: HeaderName[] = ['Tus-Resumable'];
const stateHeaders: HeaderName[] = ['Tus-Resumable', 'Upload-Offset', 'Upload-Expires', 'Cache-Control'];

const appended = {
  200: { description: 'All bytes are stored. Returns the file.', headers: stateHeaders },
  204: { description: 'The bytes are stored.', headers: stateHeaders },
};

/** Access and OpenAPI descriptions of the tus routes. */
export const tusRouteConfig = {
  create: {
    access,
    requestBody: 'optional part',
    headers: { ...headers, 'Upload-Length': 'required', 'Upload-Metadata': 'optional', ...digests },
    responses: {
      200: {
        description: 'An earlier upload with this Idempotency-Key is finished. Returns its file.',
        headers: [...stateHeaders, 'Location'],
      },
      201: {
        description: 'The upload was created. Returns its file if the body contained all bytes.',
        headers: [...stateHeaders, 'Location'],
      },
    },
  },
  head: {
    access,
    headers,
    responses: {
      200: { description: 'The headers state the progress.', headers: [...stateHeaders, 'Upload-Length', 'Upload-Metadata'] },
    },
  },
  get: {
    access,
    headers: { 'Idempotency-Key': 'optional' },
    responses: { 200: { description: 'The upload.', headers: tusHeaders } },
  },
  patch: {
    access,
    requestBody: 'part',
    headers: { ...headers, 'Upload-Offset': 'required', ...digests },
    responses: appended,
  },
  delete: { access, headers, responses: { 204: { description: 'The upload was deleted.', headers: tusHeaders } } },
  override: {
    access,
    requestBody: 'optional part',
    headers: { ...headers, 'X-HTTP-Method-Override': 'required', 'Upload-Offset': 'optional', ...digests },
    responses: { ...appended, 204: { description: 'The bytes are stored, or the upload was deleted.', headers: stateHeaders } },
  },
} satisfies Record<string, FastifyContextConfig>;

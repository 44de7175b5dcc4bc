import type { FastifyContextConfig } from 'fastify';
import type { HeaderName } from '../openapi/headers.js';

const access = { scope: 'blob:write', tokens: 'also' } as const;
/** Every request but GET says which protocol it speaks. An upload that another credential made is opened by its key. */
const headers = { 'Tus-Resumable': 'required', 'Idempotency-Key': 'optional' } as const;
const PLACE: HeaderName[] = ['Tus-Resumable', 'Upload-Offset', 'Upload-Expires', 'Cache-Control'];
const tus: HeaderName[] = ['Tus-Resumable'];

const ofBytes = { 'Upload-Checksum': 'optional', 'Repr-Digest': 'optional' } as const;
const stored = {
  200: { says: 'The last byte came: the file.', carries: PLACE },
  204: { says: 'The bytes are stored.', carries: PLACE },
};

/** Who may use the routes of tus, and what the OpenAPI document says of them that no schema does. */
export const described = {
  create: {
    access,
    takes: 'piece or nothing',
    headers: { ...headers, 'Upload-Length': 'required', 'Upload-Metadata': 'optional', ...ofBytes },
    answers: {
      200: {
        says: 'An earlier upload under this Idempotency-Key, which has finished: its file.',
        carries: [...PLACE, 'Location'],
      },
      201: { says: 'The upload, and its file where all bytes came along.', carries: [...PLACE, 'Location'] },
    },
  },
  ask: { access, headers, answers: { 200: { says: 'How it stands.', carries: [...PLACE, 'Upload-Length', 'Upload-Metadata'] } } },
  read: { access, headers: { 'Idempotency-Key': 'optional' }, answers: { 200: { says: 'How it stands.', carries: tus } } },
  send: { access, takes: 'piece', headers: { ...headers, 'Upload-Offset': 'required', ...ofBytes }, answers: stored },
  abandon: { access, headers, answers: { 204: { says: 'It is gone.', carries: tus } } },
  override: {
    access,
    takes: 'piece or nothing',
    headers: { ...headers, 'X-HTTP-Method-Override': 'required', 'Upload-Offset': 'optional', ...ofBytes },
    answers: { ...stored, 204: { says: 'The bytes are stored, or the upload is gone.', carries: PLACE } },
  },
} satisfies Record<string, FastifyContextConfig>;

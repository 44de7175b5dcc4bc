import { TypeBoxValidatorCompiler, Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseDigest } from '../../../src/protocol/checksums/repr-digest.js';
import { BlobError, invalid } from '../../../src/protocol/errors.js';
import { IDEMPOTENCY, PATH } from '../../../src/protocol/limits.js';
import { DEFAULT_MEDIA_TYPE, parseMediaType } from '../../../src/protocol/media-type.js';
import { parseFileOptions } from '../../../src/protocol/file-options.js';
import { placeForToken, placeForKey } from '../storage/uploads/placement.js';
import type { Placement, UploadTarget } from '../storage/uploads/placement.js';
import type { Body, BodySummary, PutResult } from '../storage/blob-storage.js';
import type { RouteContext } from './context.js';
import { writeConditionsOf } from '../http/conditional-requests.js';
import { schemaError } from '../http/errors.js';
import { incompleteBody, readBody } from '../http/minimum-rate.js';
import { fileOptionFields } from './openapi/schemas.js';

/** Options of an upload as query parameters or form fields; `metadata` is a JSON object. */
export const UploadFields = Type.Object(
  {
    path: Type.Optional(
      Type.String({ minLength: 1, maxLength: PATH.maxBytes, description: 'Where to put the file; excludes prefix.' }),
    ),
    prefix: Type.Optional(
      Type.String({ maxLength: PATH.maxBytes, description: 'A folder to put the file in, under its own name.' }),
    ),
    ...fileOptionFields,
    metadata: Type.Optional(Type.String({ description: 'A JSON object of strings.' })),
    overwrite: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
);
export type UploadFields = Static<typeof UploadFields>;

const validateFields = TypeBoxValidatorCompiler({ schema: UploadFields, method: '', url: '', httpPart: 'querystring' });

/** Form fields, judged as the query parameters of the same names are. @throws `VALIDATION_ERROR`. */
export function formFields(fields: Record<string, string>): UploadFields {
  const result = validateFields({ ...fields }) as { value?: UploadFields; error?: never[] };
  if (result.error) throw schemaError(result.error, 'body');
  return result.value!;
}

function metadataField(text: string | undefined): Record<string, string> | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BlobError('VALIDATION_ERROR', 'metadata: must be a JSON object of strings', { path: 'metadata', cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('metadata', 'must be a JSON object of strings');
  return value as Record<string, string>;
}

/** One file on its way in, by whichever route. */
export interface Incoming {
  where: UploadTarget;
  fields: UploadFields;
  contentType: string;
  body: Body;
  /** As announced; undefined when unknown. */
  size?: number;
  /** Headers of the request, or of the part in a batch. */
  headers: Partial<Record<'idempotency-key' | 'repr-digest' | 'if-match' | 'if-none-match', string | undefined>>;
  /** Awaited between the last byte and the commit. */
  complete?: (facts: BodySummary) => void | Promise<void>;
  signal: AbortSignal;
}

/** Where an upload goes and what its file will be, under the rules of whoever sends it. */
export function resolveUpload(
  context: RouteContext,
  { actor }: FastifyRequest,
  { where, fields, contentType }: Pick<Incoming, 'where' | 'fields' | 'contentType'>,
): Placement {
  const metadata = metadataField(fields.metadata);
  const { metadata: _, overwrite, path: __, prefix: ___, ...options } = fields;
  const wish = {
    target: where,
    properties: {
      contentType: mediaType(contentType),
      ...parseFileOptions({ ...options, ...(metadata && { metadata }) }, context.now()),
    },
    ...(overwrite !== undefined && { overwrite }),
  };
  return actor.token ? placeForToken(actor.token.record, wish) : placeForKey(wish);
}

/** Stores one file. */
export async function storeUpload(context: RouteContext, request: FastifyRequest, incoming: Incoming): Promise<PutResult> {
  const { actor } = request;
  const { where, headers, complete } = incoming;
  const place = resolveUpload(context, request, incoming);
  const key = idempotencyKey(headers['idempotency-key']);
  const stated = statedDigest(headers['repr-digest']);
  return context.blobs.put(actor.storage, place.key, incoming.body, {
    ...place.properties,
    credential: actor.credential,
    overwrite: place.overwrite,
    ...writeConditionsOf(headers),
    ...(incoming.size !== undefined && { size: incoming.size }),
    ...(place.maxSize !== undefined && { maxSize: place.maxSize }),
    ...(key !== undefined && { idempotency: { key, name: JSON.stringify(where) } }),
    check: async (facts) => {
      await complete?.(facts);
      if (stated !== undefined) assertDigest(stated, facts);
    },
    signal: incoming.signal,
  });
}

/**
 * The headers that say something of a raw upload. @throws `VALIDATION_ERROR` for a Content-Range: part of a file is no file
 * (https://www.rfc-editor.org/rfc/rfc9110#section-14.5).
 */
export function uploadHeaders({ headers }: FastifyRequest): Incoming['headers'] {
  if (headers['content-range'] !== undefined) throw invalid('content-range', 'is not offered: /v1/uploads takes files in parts');
  const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return {
    'idempotency-key': one(headers['idempotency-key']),
    'repr-digest': one(headers['repr-digest']),
    'if-match': ifMatch,
    'if-none-match': ifNoneMatch,
  };
}

/** For a form's part. A browser sends one without name and bytes when no file was chosen. @throws `NO_FILE_UPLOADED`. */
export const named = (name: string | undefined) => (facts: BodySummary) => {
  if (!name && facts.size === 0) throw new BlobError('NO_FILE_UPLOADED', 'The part "file" holds neither a name nor a byte.');
};

/** @throws `VALIDATION_ERROR`. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const { minLength, maxLength } = IDEMPOTENCY;
  if (header.length < minLength || header.length > maxLength || !/^[\x21-\x7e]+$/.test(header))
    throw invalid('idempotency-key', `must be ${minLength} to ${maxLength} visible ASCII characters, random`);
  return header;
}

/** The SHA-256 that `Repr-Digest` states, hex. @throws `VALIDATION_ERROR`. */
export function statedDigest(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const digest = parseDigest(header);
  if (digest === null) throw invalid('repr-digest', 'is malformed; it reads sha-256=:<base64>: (RFC 9530)');
  return digest;
}

function assertDigest(stated: string, facts: BodySummary): void {
  if (stated !== facts.sha256)
    throw new BlobError('CHECKSUM_MISMATCH', 'The bytes that arrived are not the ones the digest states.', {
      details: { expected: stated, actual: facts.sha256 },
    });
}

/** The type a client states. Empty means that it knows none. @throws `VALIDATION_ERROR`. */
function mediaType(stated: string): string {
  if (stated === '') return DEFAULT_MEDIA_TYPE;
  if (!parseMediaType(stated)) throw invalid('content-type', 'must be a media type such as image/png, at most 255 characters');
  return stated;
}

/** Milliseconds without a byte in either direction after which a connection counts as lost. */
const SILENCE = 120_000;

/**
 * Aborted when the other side goes away before it has its answer. A phone that lost its network says nothing: without an end to
 * silence, its upload would hold its Idempotency-Key against its own repeat for ever.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.setTimeout(SILENCE);
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(incompleteBody());
  });
  return controller.signal;
}

/** The bytes of a route's request, see `readBody`. */
export const bodyOf = ({ minimumRate }: Pick<RouteContext, 'minimumRate'>, { raw }: FastifyRequest): AsyncGenerator<Buffer> =>
  readBody(raw, minimumRate);

/** `Content-Length`, which Node has checked to be a number. */
export const contentLength = (request: FastifyRequest): number | undefined =>
  request.headers['content-length'] === undefined ? undefined : Number(request.headers['content-length']);

import { createHash } from 'node:crypto';
import { S3ServiceError } from '../errors.js';
import type { S3Request } from '../messages/request.js';
import { digestChecks, signedDigestChecks } from './digest-checks.js';
import type { Payload } from './payload.js';

/**
 * Reads a small body, such as an XML document, and checks its digests.
 * @param limit bytes.
 * @param checksumsOf `object` if the checksum headers describe the object of the request instead of the body.
 * @throws S3ServiceError `MaxMessageLengthExceeded`, `BadDigest`.
 */
export async function readSmallBody(
  request: S3Request,
  payload: Payload,
  limit: number,
  checksumsOf: 'body' | 'object' = 'body',
): Promise<string> {
  const tooLong = () =>
    new S3ServiceError('MaxMessageLengthExceeded', undefined, { fields: { MaxMessageLengthBytes: String(limit) } });
  if ((payload.size ?? 0) > limit) throw tooLong();
  const checks = checksumsOf === 'body' ? digestChecks(request, payload) : signedDigestChecks(request, payload);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of payload.chunks) {
    size += chunk.length;
    if (size > limit) throw tooLong();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  for (const hasher of Object.values(checks.hashers)) hasher.update(body);
  checks.check({
    sha256: createHash('sha256').update(body).digest('hex'),
    md5: createHash('md5').update(body).digest('hex'),
    checksums: Object.fromEntries(Object.entries(checks.hashers).map(([name, hasher]) => [name, hasher.digest()])),
  });
  return body.toString('utf8');
}

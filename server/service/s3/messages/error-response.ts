import type { S3Response } from '../command.js';
import type { S3ServiceError } from '../errors.js';
import { xmlError } from '../xml/write-xml.js';
import type { IncomingRequest, S3Request } from './request.js';

/** Builds the response of an error: an XML document with Code, Message, further fields, Resource and RequestId. */
export function errorResponse(
  error: S3ServiceError,
  incoming: Pick<IncomingRequest, 'id' | 'method' | 'url'>,
  request?: S3Request,
): S3Response {
  const hasBody = error.status !== 304 && incoming.method !== 'HEAD';
  if (!hasBody) return { status: error.status, headers: error.headers };
  const body = xmlError({
    Code: error.code,
    Message: error.message,
    Resource: request?.path ?? incoming.url.split('?')[0],
    ...error.fields,
    RequestId: incoming.id,
  });
  return { status: error.status, headers: { ...error.headers, 'content-type': 'application/xml' }, body };
}

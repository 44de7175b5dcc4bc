import type { FastifyRequest } from 'fastify';
import { parseDispositionName } from '../../../../src/protocol/content-disposition.js';
import { BlobError } from '../../../../src/protocol/errors.js';
import { parseMediaType } from '../../../../src/protocol/media-type.js';
import type { PutResult } from '../../storage/blob-storage.js';
import { uploadTarget } from '../../storage/uploads/placement.js';
import type { RouteContext } from '../context.js';
import { storeUpload } from '../upload/store-upload.js';
import { uploadHeaders } from '../upload/upload-headers.js';
import type { FetchRequest } from './fetch-request.js';
import { openUrl, timedOut } from './open-url.js';
import type { OpenedUrl } from './open-url.js';
import { readResponse } from './read-response.js';
import type { FetchProgress } from './send-events.js';

/**
 * Requests a URL and stores its response like an upload.
 * @param signal aborts when the client has left
 * @throws `FETCH_FAILED`, `BLOCKED_FILE_TYPE`, and the errors of uploads
 */
export async function fetchFile(
  context: RouteContext,
  request: FastifyRequest,
  { url, fields, types, maxSize, timeoutSeconds, idempotencyName }: FetchRequest,
  { signal, report }: { signal: AbortSignal; report: (progress: FetchProgress) => void },
): Promise<PutResult> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(timedOut()), timeoutSeconds * 1000);
  const ended = AbortSignal.any([signal, timeout.signal]);
  try {
    const opened = await openUrl(context.outbound, url, ended);
    const { response, size } = opened;
    const contentType = response.headers['content-type'] ?? '';
    const name = nameOf(opened);
    const onBytes = (bytes: number) => report({ bytes, total: size ?? null, name, content_type: contentType });
    onBytes(0);
    try {
      assertType(contentType, types);
      return await storeUpload(context, request, {
        target: uploadTarget(fields, name),
        fields,
        contentType: parseMediaType(contentType) ? contentType : '',
        body: readResponse(response, { rate: context.minimumRate, signal: ended, onBytes }),
        ...(size !== undefined && { size }),
        ...(maxSize !== undefined && { maxSize }),
        headers: uploadHeaders(request),
        idempotencyName,
        signal: ended,
      });
    } finally {
      response.destroy();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** @param types media types such as `image/png` or `image/*`. @throws `BLOCKED_FILE_TYPE` */
function assertType(contentType: string, types: readonly string[] | undefined): void {
  if (!types) return;
  const essence = parseMediaType(contentType)?.essence;
  const group = essence && `${essence.slice(0, essence.indexOf('/'))}/*`;
  if (types.some((type) => type.toLowerCase() === essence || type.toLowerCase() === group)) return;
  throw new BlobError(
    'BLOCKED_FILE_TYPE',
    `The URL has the type "${contentType.slice(0, 100)}"; allowed are ${types.join(', ')}.`,
    {
      details: { allowed_types: types },
    },
  );
}

/** The name that the response states, or the last segment of the URL. */
function nameOf({ response, url }: OpenedUrl): string {
  const stated = parseDispositionName(response.headers['content-disposition'] ?? '');
  if (stated) return stated;
  const segment = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

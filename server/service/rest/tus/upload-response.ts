import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Resumable } from '../../storage/blob-storage.js';
import type { RouteContext } from '../context.js';
import { fileJson } from '../file-json.js';

/** Stops an unfinished request of an upload, so that the bytes it received count, and reads the upload again. */
export async function reloadUpload(context: RouteContext, request: FastifyRequest, upload: Resumable): Promise<Resumable> {
  const { resumable } = context.blobs;
  await resumable.interrupt(upload.id);
  return (await resumable.find(request.actor.storage, upload.id)) ?? upload;
}

/** Sets the headers of all responses about an upload. */
export const setUploadHeaders = (reply: FastifyReply, upload: Resumable): FastifyReply =>
  reply
    .header('Upload-Offset', String(upload.offset))
    .header('Upload-Expires', new Date(upload.expiresAt).toUTCString())
    .header('Cache-Control', 'no-store');

/** Sends the headers of an upload, and its file if it is finished. */
export function sendUpload(context: RouteContext, request: FastifyRequest, reply: FastifyReply, upload: Resumable): FastifyReply {
  const body = upload.file ? { response: fileJson(upload.file, context.contentUrl(request)) } : undefined;
  return setUploadHeaders(reply, upload).send(body);
}

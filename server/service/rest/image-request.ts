import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError } from '../../../src/protocol/errors.js';
import { IMAGE } from '../../../src/protocol/limits.js';
import { serveFile } from '../http/serve-file.js';
import type { ServeOptions } from '../http/serve-file.js';
import { FITS, FORMATS, isListed, sizeOf } from '../images/transform.js';
import type { ImageTransform } from '../images/transform.js';
import type { OpenedFile, StoredFile } from '../storage/blob-storage.js';
import type { RouteContext } from './context.js';
import { connectionSignal } from './request-body.js';

const pixels = (side: string) => `${side} of the image in pixels, ${IMAGE.side.min} to ${IMAGE.side.max}.`;

/** Parameters of a query that ask for a resized image instead of the file. `readTransform` validates them. */
export const ImageQuery = {
  w: Type.Optional(Type.String({ description: pixels('Width') })),
  h: Type.Optional(Type.String({ description: pixels('Height') })),
  fit: Type.Optional(Type.String({ enum: [...FITS], description: '`cover` (default) crops, `contain` does not.' })),
  format: Type.Optional(
    Type.String({ enum: [...FORMATS], description: '`auto` (default) sends AVIF, WebP, or else JPEG or PNG, by `Accept`.' }),
  ),
  q: Type.Optional(
    Type.String({ description: `Quality, ${IMAGE.quality.min} to ${IMAGE.quality.max}; ${IMAGE.quality.default} by default.` }),
  ),
};

/**
 * Serves the file, or its resized image if a transform is given. The caller has authorized both.
 * @throws `FILE_NOT_SCANNED`, `FILE_INFECTED`, also for HEAD and for cached images.
 */
export async function serveFileOrImage(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  opened: OpenedFile,
  { transform, ...options }: ServeOptions & { transform: ImageTransform | undefined },
): Promise<FastifyReply> {
  context.blobs.assertDeliverable(opened.file);
  const signal = connectionSignal(reply);
  if (!transform) return serveFile(request, reply, opened, signal, options);
  if (transform.format === 'auto') reply.header('Vary', 'Accept');
  const image = await context.images.open(opened, transform, { accept: request.headers.accept, signal });
  return serveFile(request, reply, image, signal, options);
}

/**
 * Authorizes a resized image for clients without a credential. They may only request listed sizes, so that the number of computed images is
 * bounded.
 * @param extraSizes sizes that are allowed besides those of the folder's rule.
 * @throws `IMAGE_SIZE_NOT_ALLOWED`
 */
export async function assertListedSize(
  context: RouteContext,
  file: StoredFile,
  transform: ImageTransform,
  extraSizes: readonly string[] = [],
): Promise<void> {
  const sizes = [...(await context.rules.imageSizes(file)), ...extraSizes];
  if (isListed(transform, sizes)) return;
  throw new BlobError(
    'IMAGE_SIZE_NOT_ALLOWED',
    `The size ${sizeOf(transform)} with quality ${transform.quality} is not available for this file.`,
    { details: { image_sizes: sizes, qualities: IMAGE.listedQualities } },
  );
}

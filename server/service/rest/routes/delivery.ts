import { isIP } from 'node:net';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError } from '../../../../src/protocol/errors.js';
import { decodePath } from '../../../../src/protocol/paths.js';
import { allowsAddress } from '../../identity/provenance.js';
import type { StoredFile } from '../../storage/types.js';
import type { App, RouteContext } from '../context.js';
import { encodedPath } from '../../http/encoded-path.js';
import { assertListedSize, ImageQuery, serveFileOrImage } from '../image-request.js';
import { readTransform, transformQuery } from '../../images/transform.js';
import type { ImageTransform, TransformQuery } from '../../images/transform.js';
import type { LinkQuery } from '../../sharing/links.js';

const IMAGES_OF_PUBLIC_FILES =
  'With `w` or `h`, the response is a resized image without metadata. A rule of the folder must list the size, or the link must state it.';

/** Defines `GET /f/{account}/{path}`: public files for everyone, private files with a temporary link. */
export function deliveryRoutes(app: App, context: RouteContext): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/f/:account/*',
    config: { access: 'everyone', responseBody: 'bytes' },
    schema: {
      summary: 'Read a public file, or a private file with a temporary link',
      description: IMAGES_OF_PUBLIC_FILES,
      tags: ['delivery'],
      params: Type.Object({ account: Type.String() }),
      // Other parameters are allowed, because sites add them for caches and statistics.
      querystring: Type.Object({
        expires: Type.Optional(Type.String()),
        key: Type.Optional(Type.String()),
        member: Type.Optional(Type.String()),
        signature: Type.Optional(Type.String()),
        ...ImageQuery,
      }),
    },
    handler: async (request, reply) => {
      const path = decodePath(encodedPath(request, 2));
      const storage = await context.accounts.mainStorage(request.params.account);
      const opened = storage && (await context.blobs.open(storage, path));
      const transform = readTransform(request.query);
      const grant = opened && (await grantOf(context, opened.file, request, transform));
      // Private and missing files have the same error.
      if (!opened || !grant)
        throw new BlobError('FILE_NOT_FOUND', 'There is no public file at this path.', { details: { path } });
      if (transform && grant === 'file') await assertListedSize(context, opened.file, transform);
      return serveFileOrImage(context, request, reply, opened, { transform });
    },
  });
}

/**
 * Decides what a request may read: the file, or the image whose parameters its link has signed. Without these parameters, such a link opens
 * nothing, because the original may contain a location.
 */
async function grantOf(
  context: RouteContext,
  file: StoredFile,
  { query, ip }: { query: unknown; ip: string },
  transform: ImageTransform | undefined,
): Promise<'file' | 'image' | undefined> {
  const link = query as LinkQuery;
  if (transform && (await isOpenedByLink(context, file, link, ip, transformQuery(transform)))) return 'image';
  return file.visibility === 'public' || (await isOpenedByLink(context, file, link, ip)) ? 'file' : undefined;
}

/** Returns whether a temporary link opens a file from this address. A link has no more rights than the key and the member that created it. */
async function isOpenedByLink(
  context: RouteContext,
  file: StoredFile,
  query: LinkQuery,
  address: string,
  transform?: string,
): Promise<boolean> {
  if (!context.links.isValid(file, query, context.now(), transform)) return false;
  if (query.key === undefined && query.member === undefined) return true;
  const provenance = await context.keys.provenance(query, file.accountId);
  return provenance !== undefined && provenance.mayRead && allowsAddress(provenance, address);
}

/** Serves a public file if the host of a request is a verified domain. @returns whether the request was handled. */
export async function serveDomain(context: RouteContext, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const host = request.hostname.toLowerCase();
  if (isServiceHost(host, context.ownHosts)) return false;
  const domain = await context.domains.findVerified(host);
  if (!domain) return false;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new BlobError('METHOD_NOT_ALLOWED', `This domain only serves files; got ${request.method}.`);
  const path = decodePath(encodedPath(request, 0));
  const opened = await context.blobs.open(domain.storage, domain.prefix === '' ? path : `${domain.prefix}/${path}`);
  if (opened?.file.visibility !== 'public')
    throw new BlobError('FILE_NOT_FOUND', 'There is no public file at this path.', { details: { path } });
  const transform = readTransform(request.query as TransformQuery);
  if (transform) await assertListedSize(context, opened.file, transform);
  await serveFileOrImage(context, request, reply, opened, { transform });
  return true;
}

/** Hosts that cannot be domains of an account, so no lookup is necessary. */
const isServiceHost = (host: string, ownHosts: readonly string[]): boolean =>
  ownHosts.includes(host) || !host.includes('.') || isIP(host) !== 0 || host.startsWith('[');

import { isIP } from 'node:net';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError } from '../../../../src/protocol/errors.js';
import { decodePath } from '../../../../src/protocol/paths.js';
import { allowsAddress } from '../../identity/provenance.js';
import type { StoredFile } from '../../storage/types.js';
import type { App, RouteContext } from '../context.js';
import { encodedPath } from '../../http/encoded-path.js';
import { serveFile } from '../../http/serve-file.js';
import { disconnectSignal } from '../upload.js';
import type { LinkQuery } from '../../sharing/links.js';

/** `GET /f/{account}/{path}`: public files for everyone, private ones for whoever holds a temporary link. */
export function deliveryRoutes(app: App, context: RouteContext): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/f/:account/*',
    config: { access: 'everyone', gives: 'bytes' },
    schema: {
      summary: 'Read a public file, or a private one by a temporary link',
      tags: ['delivery'],
      params: Type.Object({ account: Type.String() }),
      // Others are for caches and statistics of whoever links here.
      querystring: Type.Object({
        expires: Type.Optional(Type.String()),
        key: Type.Optional(Type.String()),
        signature: Type.Optional(Type.String()),
      }),
    },
    handler: async (request, reply) => {
      const path = decodePath(encodedPath(request, 2));
      const storage = await context.accounts.mainStorage(request.params.account);
      const opened = storage && (await context.blobs.open(storage, path));
      const isOpen =
        opened && (opened.file.visibility === 'public' || (await isOpenByLink(context, opened.file, request.query, request.ip)));
      // One answer for what is private and what is not there.
      if (!opened || !isOpen) throw new BlobError('FILE_NOT_FOUND', 'There is no such public file.', { details: { path } });
      return serveFile(request, reply, opened, disconnectSignal(reply));
    },
  });
}

/** Whether a temporary link opens a file from this address. What the key that created it may no longer do, the link does not do either. */
async function isOpenByLink(context: RouteContext, file: StoredFile, query: LinkQuery, address: string): Promise<boolean> {
  if (!context.links.isValid(file, query, context.now())) return false;
  if (query.key === undefined) return true;
  const provenance = await context.keys.provenance(query.key);
  return provenance !== undefined && provenance.mayRead && allowsAddress(provenance, address);
}

/** A path on a domain of the owner's: public files alone. */
export async function serveDomain(context: RouteContext, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const host = request.hostname.toLowerCase();
  if (isOwnName(host, context.ownHost)) return false;
  const domain = await context.domains.findVerified(host);
  if (!domain) return false;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new BlobError('METHOD_NOT_ALLOWED', 'This host name serves files; it takes none.');
  const path = decodePath(encodedPath(request, 0));
  const opened = await context.blobs.open(domain.storage, domain.prefix === '' ? path : `${domain.prefix}/${path}`);
  if (opened?.file.visibility !== 'public')
    throw new BlobError('FILE_NOT_FOUND', 'There is no such public file.', { details: { path } });
  await serveFile(request, reply, opened, disconnectSignal(reply));
  return true;
}

/** Names that can be nobody's domain, so that the database need not be asked. */
const isOwnName = (host: string, own: string | undefined): boolean =>
  host === own || !host.includes('.') || isIP(host) !== 0 || host.startsWith('[');

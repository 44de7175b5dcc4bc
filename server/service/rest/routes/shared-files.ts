import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError } from '../../../../src/protocol/errors.js';
import { LIST } from '../../../../src/protocol/limits.js';
import { baseName, decodePath } from '../../../../src/protocol/paths.js';
import type { App, RouteContext } from '../context.js';
import { fromCursor, toCursor } from '../cursor.js';
import { encodedPath } from '../../http/encoded-path.js';
import { folderPage } from '../pages/folder-page.js';
import { serveFile } from '../../http/serve-file.js';
import { disconnectSignal } from '../request-body.js';
import type { Share } from '../../sharing/shares.js';

/** `GET /s/{share}`: a shared file, or a shared folder (as a page or JSON) and its files. */
export function sharedFileRoutes(app: App, context: RouteContext): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/s/:id',
    config: {
      access: 'everyone',
      responseBody: 'bytes',
      responses: { 302: { description: 'The share is a folder.', headers: ['Location'] } },
    },
    schema: { summary: 'Read a shared file', tags: ['delivery'], params: Type.Object({ id: Type.String() }) },
    handler: async (request, reply) => {
      const share = await openShare(context, request, reply);
      if (share.path === null) return reply.redirect(`/s/${share.id}/`, 302);
      return sendFile(context, request, reply, share, share.path);
    },
  });

  app.route({
    method: ['GET', 'HEAD'],
    url: '/s/:id/*',
    config: { access: 'everyone', responseBody: 'bytes' },
    schema: {
      summary: 'Read a shared folder, or a file in it',
      tags: ['delivery'],
      params: Type.Object({ id: Type.String() }),
      querystring: Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 2048 })) }),
    },
    handler: async (request, reply) => {
      const share = await openShare(context, request, reply);
      const encoded = encodedPath(request, 2);
      if (share.prefix === null) throw new BlobError('FILE_NOT_FOUND', 'This share is a single file.');
      if (encoded !== '' && !encoded.endsWith('/'))
        return sendFile(context, request, reply, share, `${share.prefix}/${decodePath(encoded)}`);
      const folder = encoded === '' ? `${share.prefix}/` : `${share.prefix}/${decodePath(encoded.slice(0, -1))}/`;
      return sendFolder(context, request, reply, { share, folder, cursor: request.query.cursor });
    },
  });
}

/**
 * Opens the share of a request. Browsers ask for its password by HTTP Basic.
 * @throws `NOT_FOUND`, `RATE_LIMIT_EXCEEDED`, `AUTH_TOKEN_MISSING`.
 */
async function openShare(context: RouteContext, request: FastifyRequest, reply: FastifyReply): Promise<Share> {
  const share = await context.shares.open((request.params as { id: string }).id, {
    address: request.ip,
    password: passwordOf(request),
  });
  if (share !== 'password') return share;
  reply.header('WWW-Authenticate', 'Basic realm="Shared files: any name, and the password", charset="UTF-8"');
  throw new BlobError('AUTH_TOKEN_MISSING', 'This share requires a password. Send it by HTTP Basic with any user name.');
}

async function sendFile(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  share: Share,
  path: string,
): Promise<FastifyReply> {
  const opened = await context.blobs.open(share.storage, path);
  if (!opened)
    throw new BlobError('FILE_NOT_FOUND', `There is no file ${baseName(path)} in this share.`, {
      details: { name: baseName(path) },
    });
  // With a download limit, ranges are ignored. Otherwise a client could read the file in ranges, each counted or none.
  const isCounted = share.maxDownloads !== null;
  if (request.method === 'GET') await context.shares.countDownload(share.id);
  reply.header('Referrer-Policy', 'no-referrer').header('X-Robots-Tag', 'noindex');
  const file = { ...opened.file, visibility: 'private' as const };
  return serveFile(request, reply, { ...opened, file }, disconnectSignal(reply), {
    ranges: !isCounted,
    conditional: !isCounted,
  });
}

/** Sends one page of a folder, as HTML to browsers and otherwise as JSON. @param options.folder the path with a final slash. */
async function sendFolder(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { share, folder, cursor }: { share: Share; folder: string; cursor: string | undefined },
): Promise<FastifyReply> {
  await context.countListing(request.ip);
  const listing = await context.blobs.list(share.storage, {
    prefix: folder,
    delimiter: '/',
    limit: LIST.limit.max,
    ...(cursor !== undefined && { after: folder + fromCursor(cursor) }),
  });
  const entries = {
    folders: listing.prefixes.map((prefix) => prefix.slice(folder.length, -1)),
    files: listing.files.map((file) => ({
      name: baseName(file.key),
      size: file.size,
      content_type: file.contentType,
      updated_at: new Date(file.updatedAt).toISOString(),
    })),
    cursor: listing.next === null ? null : toCursor(listing.next.slice(folder.length)),
  };
  reply.header('Cache-Control', 'private, no-cache').header('Referrer-Policy', 'no-referrer').header('X-Robots-Tag', 'noindex');
  if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.send({ response: entries });
  const isTop = folder === `${share.prefix}/`;
  return folderPage(reply, { name: baseName(folder.slice(0, -1)), isTop, ...entries });
}

function passwordOf(request: FastifyRequest): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  // Passwords have at most 200 characters. Longer ones are not compared, because scrypt is slow.
  return colon === -1 || pair.length - colon > 201 ? undefined : pair.slice(colon + 1);
}

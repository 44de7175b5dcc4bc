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
import { disconnectSignal } from '../upload.js';
import type { Share } from '../../sharing/shares.js';

/** `GET /s/{share}`: the shared file, or the shared folder as a page (JSON when asked for) and its files below. */
export function sharedFileRoutes(app: App, context: RouteContext): void {
  const { blobs, shares } = context;

  /** @throws `NOT_FOUND`, `RATE_LIMIT_EXCEEDED`; asks for the password as every browser and client knows it (HTTP Basic, any user name). */
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<Share> {
    const share = await shares.open((request.params as { id: string }).id, {
      address: request.ip,
      password: passwordOf(request),
    });
    if (share !== 'password') return share;
    reply.header('WWW-Authenticate', 'Basic realm="Shared files: any name, and the password", charset="UTF-8"');
    throw new BlobError('AUTH_TOKEN_MISSING', 'This share wants its password (HTTP Basic, any user name).');
  }

  async function send(request: FastifyRequest, reply: FastifyReply, share: Share, path: string): Promise<FastifyReply> {
    const opened = await blobs.open(share.storage, path);
    if (!opened)
      throw new BlobError('FILE_NOT_FOUND', 'There is no such file in the share.', { details: { name: baseName(path) } });
    // Counted downloads are whole ones: a range would get by without being the file, or count many times for one.
    const counted = share.maxDownloads !== null;
    if (request.method === 'GET') await shares.countDownload(share.id);
    reply.header('Referrer-Policy', 'no-referrer').header('X-Robots-Tag', 'noindex');
    const file = { ...opened.file, visibility: 'private' as const };
    return serveFile(request, reply, { ...opened, file }, disconnectSignal(reply), { ranges: !counted, conditional: !counted });
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/s/:id',
    config: { access: 'everyone', gives: 'bytes', answers: { 302: { says: 'A folder.', carries: ['Location'] } } },
    schema: { summary: 'Read a shared file', tags: ['delivery'], params: Type.Object({ id: Type.String() }) },
    handler: async (request, reply) => {
      const share = await admit(request, reply);
      if (share.path === null) return reply.redirect(`/s/${share.id}/`, 302);
      return send(request, reply, share, share.path);
    },
  });

  app.route({
    method: ['GET', 'HEAD'],
    url: '/s/:id/*',
    config: { access: 'everyone', gives: 'bytes' },
    schema: {
      summary: 'Read a shared folder, or a file in it',
      tags: ['delivery'],
      params: Type.Object({ id: Type.String() }),
      querystring: Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 2048 })) }),
    },
    handler: async (request, reply) => {
      const share = await admit(request, reply);
      const encoded = encodedPath(request, 2);
      if (share.prefix === null) throw new BlobError('FILE_NOT_FOUND', 'This share is one file.');
      if (encoded !== '' && !encoded.endsWith('/')) return send(request, reply, share, `${share.prefix}/${decodePath(encoded)}`);

      await context.countListing(request.ip);
      const folder = encoded === '' ? `${share.prefix}/` : `${share.prefix}/${decodePath(encoded.slice(0, -1))}/`;
      const { cursor } = request.query;
      const after = cursor === undefined ? undefined : folder + fromCursor(cursor);
      const listing = await blobs.list(share.storage, {
        prefix: folder,
        delimiter: '/',
        limit: LIST.limit.max,
        ...(after !== undefined && { after }),
      });
      const next = listing.next === null ? null : toCursor(listing.next.slice(folder.length));
      const entries = {
        folders: listing.prefixes.map((one) => one.slice(folder.length, -1)),
        files: listing.files.map((file) => ({
          name: baseName(file.key),
          size: file.size,
          content_type: file.contentType,
          updated_at: new Date(file.updatedAt).toISOString(),
        })),
        cursor: next,
      };
      reply
        .header('Cache-Control', 'private, no-cache')
        .header('Referrer-Policy', 'no-referrer')
        .header('X-Robots-Tag', 'noindex');
      if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.send({ response: entries });
      return folderPage(reply, { name: baseName(folder.slice(0, -1)), isTop: encoded === '', ...entries });
    },
  });
}

function passwordOf(request: FastifyRequest): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  // scrypt takes its time with whatever comes: what is no password is not tried.
  return colon === -1 || pair.length - colon > 201 ? undefined : pair.slice(colon + 1);
}

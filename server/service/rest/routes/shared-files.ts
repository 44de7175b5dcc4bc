import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError } from '../../../../src/protocol/errors.js';
import { baseName, decodePath } from '../../../../src/protocol/paths.js';
import type { App, RouteContext } from '../context.js';
import { encodedPath } from '../../http/encoded-path.js';
import { readTransform } from '../../images/transform.js';
import type { TransformQuery } from '../../images/transform.js';
import { assertListedSize, ImageQuery, serveFileOrImage } from '../image-request.js';
import { listSharedFolder } from '../list-shared-folder.js';
import { acceptsHtml } from '../pages/html.js';
import { filePage, isTextPreview, MAX_TEXT_PREVIEW } from '../pages/share/file-page.js';
import { folderPage, shareTitle } from '../pages/share/folder-page.js';
import { shareErrorPage, sharePasswordPage } from '../pages/share/notice-pages.js';
import { uploadRequestPage } from '../pages/share/upload-request-page.js';
import { languageOf } from '../pages/texts.js';
import { connectionSignal } from '../request-body.js';
import { sendZip } from '../send-zip.js';
import { visitorOf } from './share-visitor.js';
import type { OpenedFile } from '../../storage/blob-storage.js';
import type { Share } from '../../sharing/shares.js';

/** Sizes of images that every share offers, besides those of the folder's rule. */
const PREVIEW_SIZES = ['320x320', '1280x1280'];

const one = (description: string) => Type.Optional(Type.Literal('1', { description }));
const FileQuery = {
  download: one('Sends the bytes as an attachment instead of a page.'),
  raw: one('Sends the bytes instead of a page. Without a limit of downloads, it counts as a preview and not as a download.'),
  ...ImageQuery,
};
/** Values of `FolderSort`. */
const Sort = Type.Union(
  [
    Type.Literal('name'),
    Type.Literal('-name'),
    Type.Literal('size'),
    Type.Literal('-size'),
    Type.Literal('date'),
    Type.Literal('-date'),
  ],
  { description: 'The order; a minus reverses it. A folder with more than 5,000 files has only the orders `name` and `-name`.' },
);
const FolderQuery = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 2048 })),
  sort: Type.Optional(Sort),
  zip: one('Sends the folder as a ZIP archive, which counts as one download.'),
  ...FileQuery,
});

/** Defines `GET /s/{share}`: a shared file, or a shared folder and its files. Browsers get pages, other clients bytes and JSON. */
export function sharedFileRoutes(app: App, context: RouteContext): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/s/:id',
    config: {
      access: 'everyone',
      responseBody: 'bytes',
      responses: { 302: { description: 'The share is a folder.', headers: ['Location'] } },
    },
    schema: {
      summary: 'Read a shared file',
      description: 'With `Accept: text/html`, the response is a page. With `w` or `h`, it is a resized image without metadata.',
      tags: ['delivery'],
      params: Type.Object({ id: Type.String() }),
      querystring: Type.Object(FileQuery),
    },
    handler: (request, reply) =>
      withErrorPages(request, reply, async () => {
        const share = await openShare(context, request, reply);
        if (share.mode === 'upload') return sendUploadRequest(context, request, reply, share);
        if (share.path === null) return reply.redirect(`/s/${share.id}/${new URL(request.url, 'http://host').search}`, 302);
        return sendFile(context, request, reply, { share, path: share.path, query: request.query });
      }),
  });

  app.route({
    method: ['GET', 'HEAD'],
    url: '/s/:id/*',
    config: { access: 'everyone', responseBody: 'bytes' },
    schema: {
      summary: 'Read a shared folder, or a file in it',
      description: 'With `Accept: text/html`, the response is a page. With `w` or `h`, it is a resized image without metadata.',
      tags: ['delivery'],
      params: Type.Object({ id: Type.String() }),
      querystring: FolderQuery,
    },
    handler: (request, reply) =>
      withErrorPages(request, reply, async () => {
        const share = await openShare(context, request, reply);
        const encoded = encodedPath(request, 2);
        // Visitors of an upload request read nothing.
        if (share.mode === 'upload') throw new BlobError('FILE_NOT_FOUND', 'This share only takes uploads.');
        if (share.prefix === null) throw new BlobError('FILE_NOT_FOUND', 'This share is a single file.');
        if (encoded !== '' && !encoded.endsWith('/'))
          return sendFile(context, request, reply, {
            share,
            path: `${share.prefix}/${decodePath(encoded)}`,
            query: request.query,
          });
        const folder = encoded === '' ? `${share.prefix}/` : `${share.prefix}/${decodePath(encoded.slice(0, -1))}/`;
        return sendFolder(context, request, reply, { share, folder, query: request.query });
      }),
  });
}

/** Sends errors to browsers as pages. Errors of the service itself stay as they are, so that they are logged. */
async function withErrorPages(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  reply.header('Vary', 'Accept').header('Referrer-Policy', 'no-referrer').header('X-Robots-Tag', 'noindex');
  try {
    return await work();
  } catch (error) {
    if (!acceptsHtml(request) || !(error instanceof BlobError) || error.status >= 500) throw error;
    const language = languageOf(request);
    if (error.code !== 'AUTH_TOKEN_MISSING') return shareErrorPage(reply, language, error);
    // Without the header, the browser shows the form instead of its own window.
    reply.removeHeader('WWW-Authenticate');
    return sharePasswordPage(reply, language, { id: (request.params as { id: string }).id, next: request.url });
  }
}

/**
 * Opens the share of a request. Programs send its password by HTTP Basic, browsers a cookie.
 * @throws `NOT_FOUND`, `RATE_LIMIT_EXCEEDED`, `AUTH_TOKEN_MISSING`.
 */
async function openShare(context: RouteContext, request: FastifyRequest, reply: FastifyReply): Promise<Share> {
  const share = await context.shares.open((request.params as { id: string }).id, visitorOf(request));
  if (share !== 'password') return share;
  reply.header('WWW-Authenticate', 'Basic realm="Shared files: any name, and the password", charset="UTF-8"');
  throw new BlobError('AUTH_TOKEN_MISSING', 'This share requires a password. Send it by HTTP Basic with any user name.');
}

/** Sends the page of an upload request, or its limits to programs. */
function sendUploadRequest(context: RouteContext, request: FastifyRequest, reply: FastifyReply, share: Share): FastifyReply {
  if (acceptsHtml(request)) return uploadRequestPage(reply, languageOf(request), share, context.baseUrl(request));
  const { title, mode, maxSize, allowedExtensions, maxFiles } = share;
  const limits = { max_size: maxSize, allowed_extensions: allowedExtensions, max_files: maxFiles };
  return reply.header('Cache-Control', 'private, no-cache').send({ response: { title, mode, ...limits } });
}

interface FileRequest {
  share: Share;
  path: string;
  query: { download?: '1'; raw?: '1' } & TransformQuery;
}

async function sendFile(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { share, path, query }: FileRequest,
): Promise<FastifyReply> {
  const opened = await context.blobs.open(share.storage, path);
  if (!opened)
    throw new BlobError('FILE_NOT_FOUND', `There is no file ${baseName(path)} in this share.`, {
      details: { name: baseName(path) },
    });
  // Before the download is counted.
  context.blobs.assertDeliverable(opened.file);
  const transform = readTransform(query);
  if (transform) await assertListedSize(context, opened.file, transform, PREVIEW_SIZES);
  if (acceptsHtml(request) && query.download === undefined && query.raw === undefined && !transform) {
    const names = share.prefix === null ? [] : path.slice(share.prefix.length + 1).split('/');
    const text = share.maxDownloads === null ? await readTextPreview(opened, connectionSignal(reply)) : undefined;
    const hasPicture = context.images.hasPicture(opened.file.contentType);
    return filePage(reply, languageOf(request), { share, file: opened.file, path: names, text, hasPicture });
  }
  // With a download limit, ranges are ignored. Otherwise a client could read the file in ranges, each counted or none.
  const isLimited = share.maxDownloads !== null;
  const isCounted = isLimited || query.raw === undefined;
  const disposition = opened.file.contentDisposition ?? 'inline';
  const file = {
    ...opened.file,
    visibility: 'private' as const,
    contentDisposition: query.download === undefined ? disposition : disposition.replace(/^inline/i, 'attachment'),
  };
  const options = {
    transform,
    ranges: !isLimited,
    conditional: !isLimited,
    ...(isCounted && { beforeBody: () => context.shares.countDownload(share.id) }),
  };
  return serveFileOrImage(context, request, reply, { ...opened, file }, options);
}

/** Reads the start of a text. @returns undefined for other files, also for a binary file with the content type of a text */
async function readTextPreview(opened: OpenedFile, signal: AbortSignal): Promise<string | undefined> {
  if (!isTextPreview(opened.file)) return undefined;
  if (opened.file.size === 0) return '';
  const chunks: Buffer[] = [];
  const end = Math.min(opened.file.size, MAX_TEXT_PREVIEW) - 1;
  for await (const chunk of await opened.read({ start: 0, end }, signal)) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text.includes('\0') ? undefined : text;
}

interface FolderRequest {
  share: Share;
  /** The path with a final slash. */
  folder: string;
  query: Static<typeof FolderQuery>;
}

/** Sends one page of a folder, as HTML to browsers and otherwise as JSON, or the whole folder as an archive. */
async function sendFolder(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { share, folder, query: { cursor, sort = 'name', zip } }: FolderRequest,
): Promise<FastifyReply> {
  await context.countListing(request.ip);
  const isRoot = folder === `${share.prefix}/`;
  if (zip !== undefined && request.method === 'GET') {
    const name = isRoot ? shareTitle(share) : baseName(folder.slice(0, -1));
    const beforeStart = () => context.shares.countDownload(share.id);
    const parts = [{ prefix: folder, folder: '' }];
    return sendZip(context, reply, { storage: share.storage, parts, name, beforeStart }, connectionSignal(reply));
  }
  const page = await listSharedFolder(context.blobs, { storage: share.storage, folder, sort, cursor });
  const files = page.files.map(({ key, size, contentType, updatedAt }) => ({
    name: baseName(key),
    size,
    contentType,
    updatedAt,
  }));
  if (acceptsHtml(request))
    return folderPage(reply, languageOf(request), {
      share,
      path: isRoot ? [] : folder.slice(share.prefix!.length + 1, -1).split('/'),
      folders: page.folders,
      files,
      sort: page.sort,
      isSorted: page.sort === sort,
      cursor: page.cursor,
      isFirstPage: cursor === undefined,
    });
  const json = files.map(({ name, size, contentType, updatedAt }) => ({
    name,
    size,
    content_type: contentType,
    updated_at: new Date(updatedAt).toISOString(),
  }));
  return reply
    .header('Cache-Control', 'private, no-cache')
    .send({ response: { folders: page.folders, files: json, cursor: page.cursor } });
}

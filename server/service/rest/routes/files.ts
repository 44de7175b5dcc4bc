import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { LIST } from '../../../../src/protocol/limits.js';
import type { Storage } from '../../identity/credential.js';
import { matchesFilter } from '../../storage/search/file-filter.js';
import type { StoredFile } from '../../storage/types.js';
import { baseName, validatePrefix } from '../../../../src/protocol/paths.js';
import type { App, RouteContext } from '../context.js';
import { fromCursor, toCursor } from '../cursor.js';
import { fileFilterFields, hasFileFilter, parseFileFilter } from '../file-filter.js';
import { fileJson } from '../file-json.js';
import { fromSearchCursor, toSearchCursor } from '../search-cursor.js';
import { File, IdParams, limitField, nullable, response, WorkspaceQuery } from '../openapi/schemas.js';
import { connectionSignal } from '../request-body.js';
import { MAX_ZIP_FILES, sendZip } from '../send-zip.js';
import { readTransform } from '../../images/transform.js';
import { ImageQuery, serveFileOrImage } from '../image-request.js';

const notFound = (id: string) => new BlobError('FILE_NOT_FOUND', `There is no file ${id}.`, { details: { id } });
const Workspace = Type.Object(WorkspaceQuery, { additionalProperties: false });

/** Routes that list and read files. */
export function fileRoutes(app: App, context: RouteContext): void {
  listFilesRoute(app, context);
  readFileRecordRoute(app, context);
  readFileContentRoute(app, context);
  zipFilesRoute(app, context);
}

const ListQuery = Type.Object(
  {
    prefix: Type.Optional(Type.String({ maxLength: 1024, description: 'The start of the paths.' })),
    delimiter: Type.Optional(
      Type.String({
        maxLength: 16,
        description: 'Usually "/". Paths with it after the prefix are grouped in `prefixes`.',
      }),
    ),
    only: Type.Optional(
      Type.Literal('folders', {
        description: 'Lists only `prefixes`, without the files between them. Requires the delimiter "/".',
      }),
    ),
    ...fileFilterFields,
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'The id of the only file to find.' })),
    sort: Type.Optional(
      Type.Union([Type.Literal('name'), Type.Literal('size'), Type.Literal('updated')], {
        description: '`name` sorts by the whole path. Default: name.',
      }),
    ),
    order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], { description: 'Default: asc.' })),
    limit: limitField,
    cursor: Type.Optional(
      Type.String({ maxLength: 4096, description: 'The cursor of the previous page, for the same parameters.' }),
    ),
    ...WorkspaceQuery,
  },
  { additionalProperties: false },
);
type ListQuery = Static<typeof ListQuery>;

/** A page of the list, before it becomes JSON. */
interface Page {
  files: StoredFile[];
  prefixes: string[];
  cursor: string | null;
}

function listFilesRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/files',
    {
      config: { access: { scope: 'blob:read' } },
      schema: {
        summary: 'List and search files',
        description:
          'With name, type, sizes, times, id, sort or order, it searches: it returns files only, without folder markers, from all folders below ' +
          'prefix, or with the delimiter "/" from the folder itself. A search reads a limited number of files for a page. A page may ' +
          'contain fewer files than limit, even none; continue until cursor is null.',
        tags: ['files'],
        querystring: ListQuery,
        response: {
          200: response(
            Type.Object({ files: Type.Array(File), prefixes: Type.Array(Type.String()), cursor: nullable(Type.String()) }),
          ),
        },
      },
    },
    async (request) => {
      const { files, ...page } = await readPage(context, request.actor.storage, request.query);
      const baseUrl = context.contentUrl(request);
      return { response: { files: files.map((file) => fileJson(file, baseUrl)), ...page } };
    },
  );
}

function readPage(context: RouteContext, storage: Storage, query: ListQuery): Promise<Page> {
  const { delimiter, only, id, sort, order } = query;
  const isSearch = hasFileFilter(query) || id !== undefined || sort !== undefined || order !== undefined;
  if (only !== undefined && isSearch) throw validationError('only', 'cannot be combined with a search');
  if (only !== undefined && delimiter !== '/') throw validationError('delimiter', 'must be "/" with only=folders');
  if (isSearch && delimiter !== undefined && !['', '/'].includes(delimiter))
    throw validationError('delimiter', 'must be "/" in a search');
  if (only === 'folders') return readFolders(context, storage, query);
  return isSearch ? searchPage(context, storage, query) : listPage(context, storage, query);
}

async function listPage({ blobs }: RouteContext, storage: Storage, query: ListQuery): Promise<Page> {
  const { prefix, delimiter, cursor, limit = LIST.limit.default } = query;
  const { files, prefixes, next } = await blobs.list(storage, {
    limit,
    ...(prefix !== undefined && { prefix }),
    ...(delimiter !== undefined && { delimiter }),
    ...(cursor !== undefined && { after: fromCursor(cursor) }),
  });
  return { files, prefixes, cursor: next === null ? null : toCursor(next) };
}

async function readFolders({ blobs }: RouteContext, storage: Storage, query: ListQuery): Promise<Page> {
  const { prefix, cursor, limit = LIST.limit.default } = query;
  const { prefixes, next } = await blobs.search.folders(storage, {
    limit,
    ...(prefix !== undefined && { prefix }),
    ...(cursor !== undefined && { after: fromCursor(cursor) }),
  });
  return { files: [], prefixes, cursor: next === null ? null : toCursor(next) };
}

const SORT_COLUMNS = { name: 'key', size: 'size', updated: 'updated_at' } as const;

async function searchPage({ blobs }: RouteContext, storage: Storage, query: ListQuery): Promise<Page> {
  const { prefix, delimiter, id, sort = 'name', order = 'asc', cursor, limit = LIST.limit.default } = query;
  const filter = { ...parseFileFilter(query), ...(prefix !== undefined && { prefix }), direct: delimiter === '/' };
  if (id !== undefined) {
    const file = await blobs.getById(storage, id);
    return { files: file && matchesFilter(file, filter) ? [file] : [], prefixes: [], cursor: null };
  }
  const options = { sort: SORT_COLUMNS[sort], order };
  const after = cursor === undefined ? undefined : fromSearchCursor(cursor, options);
  const { files, next } = await blobs.search.files(storage, { filter, limit, after, ...options });
  return { files, prefixes: [], cursor: next === null ? null : toSearchCursor(options, next) };
}

function readFileRecordRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/files/:id',
    {
      config: { access: { scope: 'blob:read' } },
      schema: {
        summary: "Read a file's record",
        tags: ['files'],
        params: IdParams,
        querystring: Workspace,
        response: { 200: response(File) },
      },
    },
    async (request) => {
      const file = await context.blobs.getById(request.actor.storage, request.params.id);
      if (!file) throw notFound(request.params.id);
      return { response: fileJson(file, context.contentUrl(request)) };
    },
  );
}

function readFileContentRoute(app: App, context: RouteContext): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/v1/files/:id/content',
    config: { access: { scope: 'blob:read' }, responseBody: 'bytes' },
    schema: {
      summary: "Read a file's bytes",
      description: 'Supports ranges and conditional requests. With `w` or `h`, the response is a resized image without metadata.',
      tags: ['files'],
      params: IdParams,
      querystring: Type.Object({ ...ImageQuery, ...WorkspaceQuery }, { additionalProperties: false }),
    },
    handler: async (request, reply) => {
      const opened = await context.blobs.openById(request.actor.storage, request.params.id);
      if (!opened) throw notFound(request.params.id);
      return serveFileOrImage(context, request, reply, opened, { transform: readTransform(request.query) });
    },
  });
}

function zipFilesRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/files/zip',
    {
      config: {
        access: { scope: 'blob:read' },
        responses: { 200: { description: 'The archive.', contentType: 'application/zip', headers: ['Content-Disposition'] } },
      },
      schema: {
        summary: 'Download folders and files as a ZIP archive',
        description: `The archive is sent while its files are read, without compression. At most ${MAX_ZIP_FILES} files. Repeat \`prefix\` and \`id\` for several folders and files; each folder then has a folder of its own in the archive. If a file is deleted or replaced meanwhile, the connection closes before the announced \`Content-Length\`.`,
        tags: ['files'],
        querystring: Type.Object(
          {
            prefix: oneOrMore({ maxLength: 1024 }, `A folder, ${MAX_ZIP_PARTS} at most. Without it and without id: all files.`),
            id: oneOrMore({ minLength: 1, maxLength: 64 }, `The id of a file, ${MAX_ZIP_PARTS} at most.`),
            ...WorkspaceQuery,
          },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) => {
      const { storage } = request.actor;
      const ids = listOf(request.query.id);
      const prefixes = listOf(request.query.prefix ?? (ids.length === 0 ? '' : undefined)).map(zipFolder);
      const isOneFolder = ids.length === 0 && prefixes.length === 1;
      const parts = [
        ...prefixes.map((folder) => ({
          prefix: folder === '' ? '' : `${folder}/`,
          folder: isOneFolder || folder === '' ? '' : `${baseName(folder)}/`,
        })),
        ...ids.map((id) => ({ id })),
      ];
      const name = (isOneFolder && baseName(prefixes[0]!)) || 'files';
      return sendZip(context, reply, { storage, parts, name }, connectionSignal(reply));
    },
  );
}

/** Folders, and files, that a request can name. Servers and proxies accept addresses of about 8,000 characters. */
const MAX_ZIP_PARTS = 200;

/** A parameter that may be repeated. */
const oneOrMore = (limits: { minLength?: number; maxLength: number }, description: string) =>
  Type.Optional(Type.Union([Type.String(limits), Type.Array(Type.String(limits), { maxItems: MAX_ZIP_PARTS })], { description }));

const listOf = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : [...new Set(typeof value === 'string' ? [value] : value)];

const zipFolder = (prefix: string): string => (prefix === '' || prefix === '/' ? '' : validatePrefix(prefix));

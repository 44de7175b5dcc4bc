import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { validationError } from '../../../../src/protocol/errors.js';
import { BULK_DELETE, PATH } from '../../../../src/protocol/limits.js';
import { validatePrefix } from '../../../../src/protocol/paths.js';
import { formatTime } from '../../../../src/protocol/time.js';
import { hasScope, requireScope } from '../../identity/authorize.js';
import { creatorOf } from '../../identity/creator-of-actor.js';
import { jobNotFound, KEEP_JOBS_MS, scopesOf } from '../../storage/jobs/job.js';
import type { Job, JobSpec } from '../../storage/jobs/job.js';
import { MAX_JOBS_PAGE } from '../../storage/jobs/jobs.js';
import type { FileFilter } from '../../storage/search/file-filter.js';
import type { App, RouteContext } from '../context.js';
import { fileFilterFields, parseFileFilter } from '../file-filter.js';
import { IdParams, nullable, response, Time, Visibility, WorkspaceQuery } from '../openapi/schemas.js';

const read = { access: { scope: 'blob:read' } } as const;
const write = { access: { scope: 'blob:write' } } as const;
const querystring = Type.Object(WorkspaceQuery, { additionalProperties: false });
const Folder = Type.String({ maxLength: PATH.maxBytes });
const JobType = Type.Union([Type.Literal('delete'), Type.Literal('move'), Type.Literal('copy'), Type.Literal('visibility')]);
const JobState = Type.Union([
  Type.Literal('queued'),
  Type.Literal('running'),
  Type.Literal('done'),
  Type.Literal('cancelled'),
  Type.Literal('failed'),
]);

const Search = Type.Object(
  {
    prefix: Type.Optional(Type.String({ maxLength: PATH.maxBytes, description: 'The start of the paths.' })),
    direct: Type.Optional(Type.Boolean({ description: 'Only files directly in the folder prefix.' })),
    ...fileFilterFields,
  },
  { additionalProperties: false, minProperties: 1, $id: 'JobSearch' },
);
type Search = Static<typeof Search>;

const NewJob = Type.Object(
  {
    type: JobType,
    prefix: Type.Optional(
      Type.String({ minLength: 1, maxLength: PATH.maxBytes, description: 'A folder with everything below it.' }),
    ),
    ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: BULK_DELETE.min, maxItems: BULK_DELETE.max }),
    ),
    search: Type.Optional(Search),
    to: Type.Optional(
      Type.String({ maxLength: PATH.maxBytes, description: 'The target folder of a copy or move; "" is the root.' }),
    ),
    overwrite: Type.Optional(Type.Boolean({ description: 'Whether a copy or move replaces existing files. Default: false.' })),
    visibility: Type.Optional(Visibility),
  },
  { additionalProperties: false, $id: 'NewJob', examples: [{ type: 'copy', prefix: 'photos', to: 'backup' }] },
);
type NewJob = Static<typeof NewJob>;

const JobRecord = Type.Object(
  {
    id: Type.String(),
    type: JobType,
    state: JobState,
    source: Type.Union([
      Type.Object({ prefix: Folder }),
      Type.Object({ ids: Type.Integer({ description: 'Number of ids.' }) }),
      Type.Object({ search: Search }),
    ]),
    to: nullable(Folder),
    overwrite: Type.Boolean(),
    visibility: nullable(Visibility),
    total: nullable(Type.Integer({ description: 'Files; null until they are counted.' })),
    done: Type.Integer(),
    failed: Type.Integer(),
    failures: Type.Array(Type.Object({ path: Type.String(), code: Type.String(), message: Type.String() }), {
      description: 'The first 100.',
    }),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    author: nullable(Type.String()),
    created_at: Time,
    started_at: nullable(Time),
    finished_at: nullable(Time),
    expires_at: nullable(
      Type.String({ format: 'date-time', description: 'When the record is deleted; null while the job runs.' }),
    ),
  },
  { $id: 'Job' },
);

const documentation = (summary: string) => ({ summary, tags: ['jobs'], querystring });

/** Routes of jobs that change many files. */
export function jobRoutes(app: App, context: RouteContext): void {
  createJobRoute(app, context);
  listJobsRoute(app, context);
  readJobRoute(app, context);
  cancelJobRoute(app, context);
}

function createJobRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/jobs',
    {
      config: write,
      schema: {
        ...documentation('Change many files in the background'),
        description:
          'Exactly one of prefix, ids and search selects the files. Files that are updated after the job was created are left alone. ' +
          'Making files public also requires blob:read.',
        body: NewJob,
        response: { 202: response(JobRecord) },
      },
    },
    async (request, reply) => {
      const { actor } = request;
      const spec = specOf(request.body);
      for (const scope of scopesOf(spec)) requireScope(actor, scope);
      const job = await context.blobs.jobs.create(actor.storage, spec, creatorOf(actor));
      return reply.code(202).send({ response: jobJson(job) });
    },
  );
}

function listJobsRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/jobs',
    {
      config: read,
      schema: {
        ...documentation('List jobs, newest first'),
        querystring: Type.Object(
          {
            unfinished: Type.Optional(Type.Boolean({ description: 'Only jobs that have not finished.' })),
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_JOBS_PAGE, default: MAX_JOBS_PAGE })),
            cursor: Type.Optional(Type.String({ maxLength: 64 })),
            ...WorkspaceQuery,
          },
          { additionalProperties: false },
        ),
        response: { 200: response(Type.Object({ jobs: Type.Array(JobRecord), cursor: nullable(Type.String()) })) },
      },
    },
    async (request) => {
      const { unfinished = false, cursor, limit = MAX_JOBS_PAGE } = request.query;
      const found = await context.blobs.jobs.list(request.actor.storage, { unfinished, limit, after: cursor });
      const page = found.slice(0, limit);
      return { response: { jobs: page.map(jobJson), cursor: found.length > limit ? page.at(-1)!.id : null } };
    },
  );
}

function readJobRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/jobs/:id',
    {
      config: read,
      schema: { ...documentation('Read a job'), params: IdParams, response: { 200: response(JobRecord) } },
    },
    async (request) => {
      const job = await context.blobs.jobs.get(request.actor.storage, request.params.id);
      if (!job) throw jobNotFound(request.params.id);
      return { response: jobJson(job) };
    },
  );
}

function cancelJobRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/jobs/:id/cancel',
    {
      config: write,
      schema: {
        ...documentation('Cancel a job'),
        description:
          'Files that the job has changed stay changed. A finished job stays as it is. Without blob:read, `failures` is empty.',
        params: IdParams,
        response: { 200: response(JobRecord) },
      },
    },
    async (request) => {
      const { actor, params } = request;
      const job = jobJson(await context.blobs.jobs.cancel(actor.storage, params.id, creatorOf(actor)));
      // The failures name files.
      return { response: hasScope(actor, 'blob:read') ? job : { ...job, failures: [] } };
    },
  );
}

/** @throws `VALIDATION_ERROR`, `INVALID_PATH` */
function specOf({ type, to, overwrite, visibility, ...sources }: NewJob): JobSpec {
  const isTransfer = type === 'copy' || type === 'move';
  if (isTransfer !== (to !== undefined))
    throw validationError('to', isTransfer ? `is required for ${type}` : `is no field of ${type}`);
  if (overwrite !== undefined && !isTransfer) throw validationError('overwrite', `is no field of ${type}`);
  if ((type === 'visibility') !== (visibility !== undefined))
    throw validationError('visibility', type === 'visibility' ? 'is required' : `is no field of ${type}`);
  const source = sourceOf(sources);
  const target = to === undefined ? undefined : to === '' ? '' : `${validatePrefix(to, 'to')}/`;
  // A copy would replace its own files, and a move would move files forever.
  if (
    target !== undefined &&
    'prefix' in source &&
    (target === source.prefix || (type === 'move' && target.startsWith(source.prefix)))
  )
    throw validationError('to', 'must not be the folder itself or, in a move, a folder in it');
  return {
    type,
    source,
    ...(target !== undefined && { to: target, overwrite: overwrite ?? false }),
    ...(visibility !== undefined && { visibility }),
  };
}

function sourceOf({ prefix, ids, search }: Pick<NewJob, 'prefix' | 'ids' | 'search'>): JobSpec['source'] {
  if ([prefix, ids, search].filter((source) => source !== undefined).length !== 1)
    throw validationError('prefix', 'or ids or search must be stated, and only one of them');
  if (prefix !== undefined) return { prefix: folderOf(prefix) };
  return ids === undefined ? { search: searchOf(search!) } : { ids: [...new Set(ids)] };
}

/** The folder that a job changes. S3 clients create folders with names that REST refuses, so only the slash at the end is required. */
const folderOf = (prefix: string): string => (prefix.endsWith('/') ? prefix : `${prefix}/`);

const searchOf = ({ prefix, direct, ...fields }: Search): FileFilter => ({
  ...parseFileFilter(fields, 'search.'),
  ...(prefix !== undefined && { prefix }),
  ...(direct !== undefined && { direct }),
});

const timeOf = (time: number | null): string | null => (time === null ? null : formatTime(time));

function jobJson(job: Job): Static<typeof JobRecord> {
  const { type, source, to, overwrite, visibility } = job.spec;
  return {
    id: job.id,
    type,
    state: job.state,
    source: 'ids' in source ? { ids: source.ids.length } : 'search' in source ? { search: searchJson(source.search) } : source,
    to: to ?? null,
    overwrite: overwrite ?? false,
    visibility: visibility ?? null,
    total: job.total,
    done: job.done,
    failed: job.failed,
    failures: job.failures,
    error: job.error,
    author: job.author,
    created_at: formatTime(job.createdAt),
    started_at: timeOf(job.startedAt),
    finished_at: timeOf(job.finishedAt),
    expires_at: timeOf(job.finishedAt === null ? null : job.finishedAt + KEEP_JOBS_MS),
  };
}

function searchJson({ prefix, direct, name, type, minSize, maxSize, updatedAfter, updatedBefore }: FileFilter): Search {
  return {
    ...(prefix !== undefined && { prefix }),
    ...(direct !== undefined && { direct }),
    ...(name !== undefined && { name }),
    ...(type !== undefined && { type }),
    ...(minSize !== undefined && { min_size: minSize }),
    ...(maxSize !== undefined && { max_size: maxSize }),
    ...(updatedAfter !== undefined && { updated_after: formatTime(updatedAfter) }),
    ...(updatedBefore !== undefined && { updated_before: formatTime(updatedBefore) }),
  };
}

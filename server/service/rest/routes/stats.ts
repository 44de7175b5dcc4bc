import { Type } from '@fastify/type-provider-typebox';
import type { App, RouteContext } from '../context.js';
import { formatTime } from '../../../../src/protocol/time.js';
import { DAILY_SUMS_DAYS, DAY_MS } from '../../storage/statistics/daily-sums.js';
import { nullable, response, Stats, Time, WorkspaceQuery } from '../openapi/schemas.js';

const Day = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'In UTC.' }),
    files: nullable(Type.Integer({ description: 'At the end of the day, or now; null before the first record.' })),
    bytes: nullable(Type.Integer()),
    requests: Type.Integer(),
    errors: Type.Integer({ description: 'Responses with an error status.' }),
    bytes_in: Type.Integer({ description: 'Traffic with headers.' }),
    bytes_out: Type.Integer(),
    uploads: Type.Integer(),
    failed_uploads: Type.Integer({ description: 'Uploads that were refused or broke off.' }),
  },
  { $id: 'DailyStats' },
);
const FileSum = { files: Type.Integer(), bytes: Type.Integer() };
const Breakdown = Type.Object(
  {
    computed_at: nullable(Time),
    computing: Type.Boolean({ description: 'Whether a newer result is being computed.' }),
    folders: Type.Array(Type.Object({ prefix: Type.String({ description: '"" for files outside of folders.' }), ...FileSum })),
    types: Type.Array(Type.Object({ type: Type.String(), ...FileSum })),
  },
  { $id: 'Breakdown' },
);

/** Statistics of an account. */
export function statsRoutes(app: App, context: RouteContext): void {
  readStatsRoute(app, context);
  readDailyStatsRoute(app, context);
  readFolderStatsRoute(app, context);
}

function readDailyStatsRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/stats/daily',
    {
      config: { access: { scope: 'blob:read' } },
      schema: {
        summary: 'Read storage, requests, traffic and uploads by day',
        description: 'Oldest day first, today last. The last seconds may be missing.',
        tags: ['stats'],
        querystring: Type.Object(
          { days: Type.Optional(Type.Integer({ minimum: 1, maximum: DAILY_SUMS_DAYS, default: 30 })), ...WorkspaceQuery },
          { additionalProperties: false },
        ),
        response: { 200: response(Type.Object({ days: Type.Array(Day) })) },
      },
    },
    async (request) => {
      const records = await context.blobs.dailySums.read(request.actor.storage.accountId, request.query.days ?? 30);
      const days = records.map(({ day, files, bytes, requests, errors, bytesIn, bytesOut, uploads, failedUploads }) => ({
        day: new Date(day * DAY_MS).toISOString().slice(0, 10),
        files,
        bytes,
        requests,
        errors,
        bytes_in: bytesIn,
        bytes_out: bytesOut,
        uploads,
        failed_uploads: failedUploads,
      }));
      return { response: { days } };
    },
  );
}

function readFolderStatsRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/stats/folders',
    {
      config: { access: { scope: 'blob:read' } },
      schema: {
        summary: 'Read the largest folders and content types',
        description:
          'Computed in the background when the last result is ten minutes old. Repeat the request while `computing` is true.',
        tags: ['stats'],
        querystring: Type.Object(WorkspaceQuery, { additionalProperties: false }),
        response: { 200: response(Breakdown) },
      },
    },
    async (request) => {
      const { computedAt, isComputing, folders, types } = await context.blobs.breakdowns.read(request.actor.storage);
      const computed_at = computedAt === null ? null : formatTime(computedAt);
      return { response: { computed_at, computing: isComputing, folders, types } };
    },
  );
}

function readStatsRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/stats',
    {
      config: { access: { scope: 'blob:read' } },
      schema: {
        summary: 'Read storage statistics',
        tags: ['stats'],
        querystring: Type.Object(WorkspaceQuery, { additionalProperties: false }),
        response: { 200: response(Stats) },
      },
    },
    async (request) => {
      const { storage } = request.actor;
      const usage = await context.blobs.usage(storage.accountId);
      return {
        response: {
          files: usage.files,
          bytes: usage.bytes,
          quota_bytes: usage.quotaBytes,
          public_files: usage.publicFiles,
          private_files: usage.files - usage.publicFiles,
          uploads_in_progress: usage.uploadsInProgress,
          upload_tokens_active: await context.tokens.countActive(storage),
        },
      };
    },
  );
}

import { Readable } from 'node:stream';
import { Type } from '@fastify/type-provider-typebox';
import { LIST } from '../../../../../src/protocol/limits.js';
import type { ActivityLog } from '../../../identity/activities/activities.js';
import type { Actor } from '../../../identity/authenticate.js';
import { callerOf } from '../../../identity/workspaces/caller.js';
import { requirePermission } from '../../../identity/workspaces/workspace-change.js';
import type { App, RouteContext } from '../../context.js';
import { fromCursor, toCursor } from '../../cursor.js';
import { activityFilterFields, ORIGINS, parseActivityFilter, STATUSES } from '../../activity-filter.js';
import type { ActivityFilterFields } from '../../activity-filter.js';
import { limitField, nullable, response, Time } from '../../openapi/schemas.js';
import { oneOf, WorkspaceParams } from './schemas.js';

const config = { access: { session: 'only' } } as const;

const Activity = Type.Object(
  {
    id: Type.String(),
    status: oneOf(STATUSES),
    target_type: Type.String(),
    target_id: nullable(Type.String()),
    workspace_id: nullable(Type.String()),
    author_id: nullable(Type.String()),
    author: nullable(Type.String({ description: 'Name of the author at that time.' })),
    origin: oneOf(ORIGINS),
    action: Type.String(),
    details: Type.Record(Type.String(), Type.Unknown()),
    created_at: Time,
  },
  { $id: 'Activity' },
);
const querystring = Type.Object(
  {
    ...activityFilterFields,
    limit: limitField,
    cursor: Type.Optional(
      Type.String({ maxLength: 128, description: 'The cursor of the previous page, for the same parameters.' }),
    ),
  },
  { additionalProperties: false },
);
const exportQuery = Type.Object(activityFilterFields, { additionalProperties: false });
const PAGES = 'With a filter, a page may have fewer entries than `limit`, even none. Continue while `cursor` is not null.';
const page = { 200: response(Type.Object({ activities: Type.Array(Activity), cursor: nullable(Type.String()) })) };

interface PageQuery extends ActivityFilterFields {
  limit?: number;
  cursor?: string;
}

/** Defines the routes of the activity log of users and workspaces. The service alone writes it. */
export function activityRoutes(app: App, context: RouteContext): void {
  listOwnActivitiesRoute(app, context);
  listWorkspaceActivitiesRoute(app, context);
  exportActivitiesRoute(app, context);
}

async function readPage(
  { activities }: RouteContext,
  log: ActivityLog,
  { limit = LIST.limit.default, cursor, ...fields }: PageQuery,
) {
  const found = await activities.list(log, limit, {
    filter: parseActivityFilter(fields),
    after: cursor === undefined ? undefined : fromCursor(cursor),
  });
  return { response: { activities: found.activities, cursor: found.next === null ? null : toCursor(found.next) } };
}

/** @throws `WORKSPACE_NOT_FOUND`, `WORKSPACE_PERMISSION_DENIED` */
async function requireLog({ memberships }: RouteContext, actor: Actor, workspaceId: string): Promise<ActivityLog> {
  requirePermission(await memberships.require(workspaceId, callerOf(actor).userId), 'activities:read');
  return { workspaceId };
}

function listOwnActivitiesRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/users/me/activities',
    {
      config,
      schema: {
        summary: 'List the activities of the own account, newest first',
        description: PAGES,
        tags: ['users'],
        querystring,
        response: page,
      },
    },
    async ({ actor, query }) => readPage(context, { accountId: callerOf(actor).accountId }, query),
  );
}

function listWorkspaceActivitiesRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/workspaces/:id/activities',
    {
      config,
      schema: {
        summary: 'List the activities of a workspace, newest first',
        description: `Requires the permission activities:read. ${PAGES}`,
        tags: ['workspaces'],
        params: WorkspaceParams,
        querystring,
        response: page,
      },
    },
    async ({ actor, params, query }) => readPage(context, await requireLog(context, actor, params.id), query),
  );
}

function exportActivitiesRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/workspaces/:id/activities/export',
    {
      config: {
        ...config,
        responses: { 200: { description: 'The activity log, newest first.', contentType: 'text/csv' } },
      },
      exposeHeadRoute: false,
      schema: {
        summary: 'Export the activities of a workspace as CSV',
        description: 'Requires the permission activities:read. Each user may export five times a minute.',
        tags: ['workspaces'],
        params: WorkspaceParams,
        querystring: exportQuery,
      },
    },
    async ({ actor, params, query }, reply) => {
      const filter = parseActivityFilter(query);
      const log = await requireLog(context, actor, params.id);
      await context.activities.countExport(callerOf(actor).userId);
      return reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="activities-${params.id.replace(/\W/g, '')}.csv"`)
        .header('Cache-Control', 'no-store')
        .header('X-Content-Type-Options', 'nosniff')
        .send(Readable.from(context.activities.csv(log, filter)));
    },
  );
}

import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { ACTIVITY_ACTIONS, actionsOf } from '../../../src/protocol/activity-actions.js';
import type { ActivityAction, ActivityGroup } from '../../../src/protocol/activity-actions.js';
import { validationError } from '../../../src/protocol/errors.js';
import { validateTime } from '../../../src/protocol/time.js';
import type { ActivityFilter } from '../identity/activities/activity-filter.js';
import { oneOf } from './routes/workspaces/schemas.js';

export const ORIGINS = ['user', 'api_key', 'system', 'admin'] as const;
export const STATUSES = ['success', 'failure'] as const;

const GROUPS = Object.keys(ACTIVITY_ACTIONS) as ActivityGroup[];
const ACTIONS_OF_VALUE = new Map<string, readonly ActivityAction[]>([
  ...GROUPS.map((group): [string, ActivityAction[]] => [group, actionsOf(group)]),
  ...GROUPS.flatMap(actionsOf).map((action): [string, ActivityAction[]] => [action, [action]]),
]);

/** Query parameters that filter the activity log. */
export const activityFilterFields = {
  author_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'The id of the author.' })),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: `An action such as share.created, or the part before the dot for all of a group: ${GROUPS.join(', ')}.`,
    }),
  ),
  origin: Type.Optional(oneOf(ORIGINS)),
  status: Type.Optional(oneOf(STATUSES)),
  path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description:
        'A file or a folder. Finds the entries that name it or anything below it. An entry names at most 20 deleted files.',
    }),
  ),
  created_after: Type.Optional(Type.String({ maxLength: 64, description: 'Earliest time, inclusive.' })),
  created_before: Type.Optional(Type.String({ maxLength: 64, description: 'Latest time, inclusive.' })),
};

const Fields = Type.Object(activityFilterFields);
export type ActivityFilterFields = Static<typeof Fields>;

/** @throws `VALIDATION_ERROR` */
export function parseActivityFilter(fields: ActivityFilterFields): ActivityFilter {
  const { author_id, action, origin, status, path, created_after, created_before } = fields;
  const actions = action === undefined ? undefined : ACTIONS_OF_VALUE.get(action);
  if (action !== undefined && !actions)
    throw validationError('action', `must be an action such as share.created, or one of ${GROUPS.join(', ')}`);
  return {
    authorId: author_id,
    actions,
    origin,
    status,
    path,
    after: created_after === undefined ? undefined : validateTime('created_after', created_after),
    before: created_before === undefined ? undefined : validateTime('created_before', created_before),
  };
}

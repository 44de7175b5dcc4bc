import type { Selectable, SelectQueryBuilder } from 'kysely';
import type { ActivityAction } from '../../../../src/protocol/activity-actions.js';
import { isWithin } from '../../../../src/protocol/paths.js';
import type { ActivitiesTable } from '../../drivers/metadata/identity-tables.js';
import type { Tables } from '../../drivers/metadata/tables.js';

/** Conditions on entries of the activity log. All must hold; undefined conditions hold for every entry. */
export interface ActivityFilter {
  authorId?: string | undefined;
  /** One of these actions. */
  actions?: readonly ActivityAction[] | undefined;
  origin?: ActivitiesTable['origin'] | undefined;
  status?: ActivitiesTable['status'] | undefined;
  /** A folder or a file. Entries match that name it, or anything below it. */
  path?: string | undefined;
  /** ms since 1970, inclusive. */
  after?: number | undefined;
  before?: number | undefined;
}

type ActivityRow = Selectable<ActivitiesTable>;
type ActivityQuery = SelectQueryBuilder<Tables, 'activities', ActivityRow>;

/**
 * Applies the conditions that an index finds: the times, and the author or a single action. `activityTest` tests all others, so that the
 * number of rows that a query reads is its limit.
 */
export function whereIndexed(query: ActivityQuery, { authorId, actions, after, before }: ActivityFilter): ActivityQuery {
  let result = query;
  if (authorId !== undefined) result = result.where('author_id', '=', authorId);
  else if (actions?.length === 1) result = result.where('action', '=', actions[0]!);
  if (after !== undefined) result = result.where('created_at', '>=', after);
  if (before !== undefined) result = result.where('created_at', '<=', before);
  return result;
}

/** Builds the test of the conditions that no index finds. */
export function activityTest({ actions, origin, status, path }: ActivityFilter): (row: ActivityRow) => boolean {
  const names = actions && new Set<string>(actions);
  const isAbout = path === undefined ? undefined : pathTest(path);
  return (row) =>
    (names === undefined || names.has(row.action)) &&
    (origin === undefined || row.origin === origin) &&
    (status === undefined || row.status === status) &&
    (isAbout === undefined || isAbout(row.details_json));
}

function pathTest(path: string): (detailsJson: string) => boolean {
  const folder = withoutSlash(path);
  // Most entries are refused without parsing them.
  const written = JSON.stringify(folder).slice(1, -1);
  const isAbout = (named: string) => withoutSlash(named) === folder || isWithin(named, folder);
  return (detailsJson) => detailsJson.includes(written) && pathsOf(JSON.parse(detailsJson) as object).some(isAbout);
}

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/** Returns the files and folders that the details of an entry name. */
const pathsOf = (details: { path?: unknown; prefix?: unknown; to?: unknown; paths?: unknown }): string[] =>
  [details.path, details.prefix, details.to, details.paths].flat().filter((path) => typeof path === 'string');

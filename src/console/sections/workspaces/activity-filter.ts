/** Fields of the filter, as they stand in the address of the page. Empty texts mean everything. */
export const ACTIVITY_FIELDS = ['action', 'author', 'origin', 'path', 'from', 'until'] as const;
type Field = (typeof ACTIVITY_FIELDS)[number];

/** Conditions for the entries. `from` and `until` are days such as `2030-01-31`, in the time zone of the browser. */
export type ActivityFilter = Record<Field, string>;

export const filterOf = (params: URLSearchParams): ActivityFilter =>
  Object.fromEntries(ACTIVITY_FIELDS.map((name) => [name, params.get(name)?.trim() ?? ''])) as ActivityFilter;

/** Returns the query parameters of the API for a filter. */
export function activityQuery({ action, author, origin, path, from, until }: ActivityFilter): Record<string, string> {
  const query = {
    action,
    author_id: author,
    origin,
    path: path.replace(/^\/+/, ''),
    created_after: timeOf(from, '00:00:00'),
    created_before: timeOf(until, '23:59:59.999'),
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

/** The address may contain anything. A day that does not exist is no condition. */
function timeOf(day: string, time: string): string {
  const date = new Date(`${day}T${time}`);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

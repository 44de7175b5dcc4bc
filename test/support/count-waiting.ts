import type pg from 'pg';

/**
 * Counts the connections to the database that wait for an event. Within a transaction, PostgreSQL shows the activity of its first query
 * again unless the snapshot is cleared.
 * @param event a `wait_event`, such as `transactionid`
 * @see https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-STATS-VIEWS
 */
export async function countWaiting(admin: pg.Client, event: string): Promise<number> {
  await admin.query('select pg_stat_clear_snapshot()');
  const sql = 'select from pg_stat_activity where datname = current_database() and wait_event = $1';
  return (await admin.query(sql, [event])).rowCount ?? 0;
}

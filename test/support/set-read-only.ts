import type pg from 'pg';

/**
 * Makes the database of an open connection read-only, as when a primary becomes a standby: its connections end, and new ones cannot write.
 * @param isReadOnly false lets new connections write again; open connections stay as they are
 */
export async function setReadOnly(admin: pg.Client, isReadOnly: boolean): Promise<void> {
  const value = isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only';
  await admin.query(`do $$ begin execute format('alter database %I ${value}', current_database()); end $$`);
  if (isReadOnly)
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
}

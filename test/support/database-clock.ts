import pg from 'pg';

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Lets a database of a test tell another time than the machine. For connections that are opened from now on. */
export const installClock = (url: string): Promise<void> =>
  run(
    url,
    'create table test_clock (ahead interval not null)',
    `insert into test_clock values ('0')`,
    `create function public.clock_timestamp() returns timestamptz language sql as
      'select pg_catalog.clock_timestamp() + ahead from public.test_clock'`,
    // Names of the system come first unless it is listed.
    `do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`,
  );

/** @param ahead of the machine's clock, ms. */
export const setClock = (url: string, ahead: number): Promise<void> =>
  run(url, `update test_clock set ahead = '${ahead} milliseconds'`);

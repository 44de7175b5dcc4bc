import pg from 'pg';

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Installs a clock that `setClock` can set in a database. It applies to connections that are opened afterwards. */
export async function installClock(url: string): Promise<void> {
  await run(
    url,
    'create table test_clock (ahead interval not null)',
    `insert into test_clock values ('0')`,
    `create function public.clock_timestamp() returns timestamptz language sql as
      'select pg_catalog.clock_timestamp() + ahead from public.test_clock'`,
  );
  await applyClock(url);
}

/** Makes a database use the clock that is installed in it. A copy of a database lacks this setting. */
export const applyClock = (url: string): Promise<void> =>
  // PostgreSQL looks in pg_catalog first unless the search path lists it.
  run(url, `do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`);

/** Sets the clock of a database. @param ahead milliseconds that it is ahead of the machine's clock */
export const setClock = (url: string, ahead: number): Promise<void> =>
  run(url, `update test_clock set ahead = '${ahead} milliseconds'`);

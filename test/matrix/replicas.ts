import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openCore } from '../../server/service/core.js';
import type { CreatedUploadToken, FileRecord, UploadTokenOptions } from '../../src/protocol/types.js';
import { storageFor } from '../service/backend.js';
import { ServeProcess } from '../service/support/serve-process.js';
import { build } from '../../scripts/build.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import { freePorts } from '../support/ports.js';
import { Relay } from '../support/relay.js';

/** One `svc-blob serve` with its own relay to the database. */
export interface Replica {
  process: ServeProcess;
  relay: Relay;
}

/** Processes that share one PostgreSQL and one S3 engine. */
export class Replicas {
  private constructor(
    readonly all: Replica[],
    /** An API key with the scopes to read and write. */
    readonly key: string,
    /** A direct connection to the database. */
    readonly admin: pg.Client,
    private readonly dataDir: string,
    readonly storage: Storage,
    /** The proxy before the S3 engine, with `storeTimeout`. */
    readonly store?: FaultProxy,
  ) {}

  static async start(count = 2, options: ReplicasOptions = {}): Promise<Replicas> {
    await build({ ifStale: true });
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-matrix-'));
    const storage = await storageFor(dataDir);
    const core = await openCore({ dataDir, ...storage });
    const { secret } = await core.keys.create('main', { name: 'matrix', scopes: ['blob:read', 'blob:write'] });
    if (options.quotaBytes !== undefined) await core.accounts.setQuota('main', options.quotaBytes);
    await core.close();
    const admin = new pg.Client({ connectionString: storage.databaseUrl! });
    await admin.connect();
    // A test may crash the database.
    admin.on('error', () => {});
    const { store, proxy } = await throughProxy(storage.store, options.storeTimeout);
    const all: Replica[] = [];
    for (let index = 0; index < count; index++) {
      const relay = await Relay.start(new URL(storage.databaseUrl!));
      const flags = ['--data-dir', dataDir, '--database-url', relay.urlFor(storage.databaseUrl!)];
      if (store !== undefined) flags.push('--store', store);
      const [port, s3Port] = await freePorts(2);
      const { env, log } = options;
      const process = new ServeProcess(flags, [port!, s3Port!], {
        env: typeof env === 'function' ? env(index) : (env ?? {}),
        ...(log && { log: join(dataDir, `replica-${index}.log`) }),
      });
      all.push({ process, relay });
    }
    await Promise.all(all.map((replica) => replica.process.start()));
    return new Replicas(all, secret, admin, dataDir, { databaseUrl: storage.databaseUrl!, store: storage.store }, proxy);
  }

  async stop(): Promise<void> {
    for (const { process, relay } of this.all) {
      await process.end('SIGKILL');
      relay.close();
    }
    await this.store?.close();
    await this.admin.end();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** Returns the log of a replica. Needs the option `log`. */
  logOf(replica: Replica): Promise<string> {
    return readFile(join(this.dataDir, `replica-${this.all.indexOf(replica)}.log`), 'utf8');
  }

  async call<T>(replica: Replica, method: string, path: string, options: CallOptions = {}): Promise<Outcome<T>> {
    const headers = { Authorization: `Bearer ${options.credential ?? this.key}`, ...options.headers };
    const began = performance.now();
    const init = { method, headers, ...(options.body !== undefined && { body: options.body, duplex: 'half' }) };
    const response = await fetch(replica.process.url + path, init as RequestInit);
    const json = (await response.json()) as { response: T; code?: string };
    const took = performance.now() - began;
    return { status: response.status, headers: response.headers, response: json.response, code: json.code, took };
  }

  put(replica: Replica, path: string, body: BodyInit, options: Omit<CallOptions, 'body'> = {}): Promise<Outcome<FileRecord>> {
    return this.call(replica, 'PUT', `/v1/files/${path}`, { ...options, body });
  }

  content(replica: Replica, id: string): Promise<Response> {
    return fetch(`${replica.process.url}/v1/files/${id}/content`, { headers: { Authorization: `Bearer ${this.key}` } });
  }

  /** Reads the status of `/readyz`. @returns undefined while nothing listens */
  async ready(replica: Replica): Promise<number | undefined> {
    return (await fetch(`${replica.process.url}/readyz`).catch(() => undefined))?.status;
  }

  async mint(replica: Replica, options: UploadTokenOptions): Promise<CreatedUploadToken> {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify(options);
    return (await this.call<CreatedUploadToken>(replica, 'POST', '/v1/upload-tokens', { headers, body })).response;
  }

  /** Creates an S3 key pair. */
  async newPair(): Promise<{ accessKeyId: string; secretAccessKey: string }> {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name: 'matrix' });
    const { response } = await this.call<{ access_key_id: string; secret_access_key: string }>(
      this.all[0]!,
      'POST',
      '/v1/s3-credentials',
      { headers, body },
    );
    return { accessKeyId: response.access_key_id, secretAccessKey: response.secret_access_key };
  }

  async paths(replica: Replica): Promise<string[]> {
    const { response } = await this.call<{ files: FileRecord[] }>(replica, 'GET', '/v1/files?limit=1000');
    return response.files.map((file) => file.path);
  }
}

export interface ReplicasOptions {
  quotaBytes?: number;
  /** Puts a proxy before the S3 engine. Replicas give up a silent engine after this many seconds. */
  storeTimeout?: number;
  /** Environment of all replicas, or a function of the index. */
  env?: Record<string, string> | ((index: number) => Record<string, string>);
  /** Whether to keep logs for `logOf`. @default false */
  log?: boolean;
}

export interface Storage {
  databaseUrl: string;
  /** Undefined if the replicas share a folder. */
  store: string | undefined;
}

async function throughProxy(
  store: string | undefined,
  timeout: number | undefined,
): Promise<{ store?: string; proxy?: FaultProxy }> {
  if (store === undefined || timeout === undefined) return store === undefined ? {} : { store };
  const url = new URL(store);
  const proxy = await startFaultProxy(url.searchParams.get('endpoint')!);
  url.searchParams.set('endpoint', proxy.url);
  url.searchParams.set('timeout', `${timeout}`);
  return { store: url.href, proxy };
}

export interface CallOptions {
  credential?: string;
  headers?: Record<string, string>;
  body?: BodyInit;
}

export interface Outcome<T> {
  status: number;
  headers: Headers;
  response: T;
  code: string | undefined;
  /** Milliseconds until the response. */
  took: number;
}

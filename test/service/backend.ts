import { CreateBucketCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { mkdtemp } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobServiceOptions } from '../../server/service/index.js';
import { useS3Engine } from '../support/s3-engine.js';
import { createServiceDatabase, writeServiceDatabase } from '../support/service-database.js';

/**
 * The storage of the service under test: SQLite and files, PostgreSQL and files, or two replicas with one PostgreSQL database and one S3 engine
 * behind a proxy that alternates between them. `test/vitest.config.ts` sets it, and its setup starts the engines.
 */
export type Backend = 'sqlite' | 'postgres' | 'replicas';
export const BACKEND = (process.env['TEST_BACKEND'] ?? 'sqlite') as Backend;

/**
 * Selects rows of a table whose result no backend changes: all rows on SQLite, and the first row of each group on other backends, which
 * run the queries of each kind once.
 */
export function rowsForBackend<Row>(rows: readonly Row[], groupOf: (row: Row) => string): readonly Row[] {
  if (BACKEND === 'sqlite') return rows;
  const groups = new Set<string>();
  return rows.filter((row) => {
    const group = groupOf(row);
    const isFirst = !groups.has(group);
    groups.add(group);
    return isFirst;
  });
}

type StorageOptions = Pick<BlobServiceOptions, 'databaseUrl' | 'store'>;

/** The database and bucket of each data directory, so that a restarted service finds them again. */
const byFolder = new Map<string, StorageOptions>();

export async function storageFor(dataDir: string): Promise<StorageOptions> {
  const known = byFolder.get(dataDir);
  if (known) return known;
  const created: StorageOptions = {};
  if (BACKEND !== 'sqlite') created.databaseUrl = await createServiceDatabase();
  if (BACKEND === 'replicas') created.store = await createStore();
  byFolder.set(dataDir, created);
  return created;
}

/** Creates a data directory. On SQLite it contains a migrated database. @param prefix of its name */
export async function createDataDirectory(prefix: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), prefix));
  if (BACKEND === 'sqlite') await writeServiceDatabase(dataDir);
  return dataDir;
}

/** A client of the S3 engine. The service and its child processes take the credentials from the environment. */
export async function s3Client(): Promise<S3Client> {
  const { endpoint, region, accessKeyId, secretAccessKey } = await useS3Engine();
  process.env['AWS_ACCESS_KEY_ID'] = accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = secretAccessKey;
  return new S3Client({ endpoint, region, forcePathStyle: true });
}

async function createStore(): Promise<string> {
  const { endpoint, region } = await useS3Engine();
  const bucket = `t-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
  const client = await s3Client();
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return `s3://${bucket}?endpoint=${endpoint}&region=${region}`;
}

/** The ids of the blobs in a store. */
export async function blobsIn(store: string): Promise<string[]> {
  const Bucket = new URL(store).hostname;
  const client = await s3Client();
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket }))
    keys.push(...Contents.map((object) => object.Key!).filter((key) => key !== 'probe'));
  return keys;
}

/** Starts a proxy that sends each request to the next replica. It streams bodies and responses. @param proxyPort 0 for any free port */
export async function roundRobin(targets: string[], proxyPort = 0): Promise<{ url: string; close(): Promise<void> }> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(targets[turn++ % targets.length]!);
    const headers = incoming.rawHeaders;
    const upstream = send({ hostname, port, method: incoming.method, path: incoming.url, headers, setHost: false, agent: false });
    upstream.on('response', (response) => {
      outgoing.writeHead(response.statusCode!, response.rawHeaders);
      response.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => {
      upstream.destroy();
      // After an early response, the unread rest of the body would block the next request of the connection.
      incoming.unpipe(upstream).resume();
    });
    incoming.on('error', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  // Longer than the keep-alive time in the responses of the replicas.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(proxyPort, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

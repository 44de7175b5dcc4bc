import { CreateBucketCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BlobServiceOptions } from '../../server/service/index.js';
import { installClock } from '../support/database-clock.js';
import { startPostgres } from '../support/postgres.js';

/**
 * What the service under test stands on: SQLite and files; PostgreSQL and files; or two replicas on one PostgreSQL and one real S3 engine, behind a
 * proxy that sends every request to the other one. Set by test/vitest.config.ts, whose setup starts the engines.
 */
export type Backend = 'sqlite' | 'postgres' | 'replicas';
export const BACKEND = (process.env['TEST_BACKEND'] ?? 'sqlite') as Backend;

type StorageOptions = Pick<BlobServiceOptions, 'databaseUrl' | 'store'>;

/** A service that starts again on the same folder finds its database and its bucket again. */
const byFolder = new Map<string, StorageOptions>();

export async function storageFor(dataDir: string): Promise<StorageOptions> {
  const known = byFolder.get(dataDir);
  if (known) return known;
  const made: StorageOptions = {};
  if (BACKEND !== 'sqlite') {
    made.databaseUrl = await (await startPostgres()).database();
    await installClock(made.databaseUrl);
  }
  // Without an engine the replicas share a folder.
  if (BACKEND === 'replicas' && process.env['TEST_S3_ENDPOINT']) made.store = await makeStore();
  byFolder.set(dataDir, made);
  return made;
}

const s3Client = () =>
  new S3Client({ endpoint: process.env['TEST_S3_ENDPOINT']!, region: process.env['AWS_REGION']!, forcePathStyle: true });

async function makeStore(): Promise<string> {
  const bucket = `t-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
  await s3Client().send(new CreateBucketCommand({ Bucket: bucket }));
  return `s3://${bucket}?endpoint=${process.env['TEST_S3_ENDPOINT']}&region=${process.env['AWS_REGION']}`;
}

/** The ids of the blobs in a store. */
export async function blobsIn(store: string): Promise<string[]> {
  const Bucket = new URL(store).hostname;
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3Client() }, { Bucket }))
    keys.push(...Contents.map((object) => object.Key!).filter((key) => key !== 'probe'));
  return keys;
}

/** Sends one request after the other to the next of the replicas, body and answer as they stream. */
export async function roundRobin(targets: string[]): Promise<{ url: string; close(): Promise<void> }> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(targets[turn++ % targets.length]!);
    const headers = incoming.rawHeaders;
    const upstream = send({ hostname, port, method: incoming.method, path: incoming.url, headers, setHost: false, agent: false });
    upstream.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => {
      upstream.destroy();
      // What an early answer left unread stands before the connection's next request, which would wait for good.
      incoming.unpipe(upstream).resume();
    });
    incoming.on('error', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  // Longer than the answers passed on promise.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

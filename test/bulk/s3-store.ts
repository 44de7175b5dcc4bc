import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { createBulkTransfer, walk } from '../../src/bulk/node/index.js';
import type { BulkOptions, BulkTransfer, NodeHttpClientOptions } from '../../src/bulk/node/index.js';
import type { ObjectEntry } from '../../src/bulk/types.js';
import { afterFile } from '../support/file-cleanup.js';
import { useS3Engine } from '../support/s3-engine.js';

/** The S3 engine of this run: Ceph's gateway or this product's endpoint. All test files share it. Each test creates its own bucket. */
export const s3 = await useS3Engine();

/** An independent client, which checks what the product has stored. */
export const client = new S3Client({
  endpoint: s3.endpoint,
  region: s3.region,
  credentials: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
  forcePathStyle: true,
});

const MIB = 1024 ** 2;

let bucketCount = 0;

/** Creates an empty bucket. */
export async function createBucket(): Promise<string> {
  const Bucket = `bulk-${process.pid}-${++bucketCount}-${Date.now().toString(36)}`;
  await client.send(new CreateBucketCommand({ Bucket }));
  // A bucket that a test has removed or closed cannot be listed.
  afterFile(() => freeMemory(Bucket).catch(() => {}));
  return Bucket;
}

/** Deletes the large objects and the unfinished uploads of a bucket. The engine keeps them in memory for the rest of the run. */
async function freeMemory(Bucket: string): Promise<void> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket }))
    for (const { Key, Size = 0 } of Contents) if (Size > MIB) await client.send(new DeleteObjectCommand({ Bucket, Key }));
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  for (const { Key, UploadId } of Uploads) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
}

/** Creates a transfer to the engine. */
export function createTransfer(options: Partial<BulkOptions & NodeHttpClientOptions> = {}): BulkTransfer {
  const { endpoint, region, accessKeyId, secretAccessKey } = s3;
  return createBulkTransfer({ endpoint, region, credentials: { accessKeyId, secretAccessKey }, ...options });
}

/** Environment variables with the endpoint and credentials of the engine. */
export const s3Environment = (endpoint = s3.endpoint): Record<string, string> => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_REGION: s3.region ?? '',
  AWS_ACCESS_KEY_ID: s3.accessKeyId,
  AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
});

/** Creates a temporary folder, which is deleted after the test file. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bulk-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a folder with 40 small files and two larger ones. @param largeSize bytes. @default enough for three parts of 5 MiB */
export function createTree(largeSize = 11 * MIB + 5): string {
  const folder = createFolder();
  mkdirSync(join(folder, 'd'));
  for (let i = 0; i < 40; i++) writeFileSync(join(folder, 'd', `f${i}`), randomBytes(3000 + i));
  for (const name of ['big1', 'big2']) writeFileSync(join(folder, name), randomBytes(largeSize));
  return folder;
}

/** Lists all objects below a prefix. */
export async function listObjects(bulk: BulkTransfer, bucket: string, prefix = ''): Promise<ObjectEntry[]> {
  const all: ObjectEntry[] = [];
  for await (const entry of bulk.list({ bucket, prefix })) if ('key' in entry) all.push(entry);
  return all;
}

/** Lists the keys of multipart uploads that were neither completed nor aborted. */
export async function listUnfinishedUploads(bucket: string): Promise<string[]> {
  const page = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  return (page.Uploads ?? []).map((upload) => upload.Key!);
}

/** Returns the source of a sync: a function that walks the folder in the order of keys. */
export const createSortedSource = (folder: string) => () => walk(folder, { sorted: true });

/** Compares a folder with all objects of a bucket. */
export const verifyBucket = (folder: string, bucket: string) =>
  createTransfer().verify(createSortedSource(folder), { bucket, prefix: '' });

/** Writes files with their parent folders. */
export function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

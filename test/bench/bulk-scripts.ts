import { createReadStream, createWriteStream, mkdirSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { S3Client as LeanClient } from 'lean-s3';
import { Client } from 'minio';

/** Transfers 32 files at once, as a developer would with each library: `bulk-scripts.ts LIBRARY up|down FROM TO`. */
const [library, direction, from, to] = process.argv.slice(2) as [string, string, string, string];
const endpoint = new URL(process.env['AWS_ENDPOINT_URL']!);
const credentials = { accessKeyId: process.env['AWS_ACCESS_KEY_ID']!, secretAccessKey: process.env['AWS_SECRET_ACCESS_KEY']! };
const region = process.env['AWS_REGION']!;

async function atOnce<Item>(items: Item[], count: number, each: (item: Item) => Promise<unknown>): Promise<void> {
  const queue = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (const item of queue) await each(item);
    }),
  );
}

const place = direction === 'up' ? to : from;
const local = direction === 'up' ? from : to;
const bucket = place.split('/')[0]!;
const prefix = place.slice(bucket.length + 1);
const many = local.endsWith('/');
const s3 = new S3Client({ endpoint: endpoint.href, region, credentials, forcePathStyle: true });
const minio = new Client({
  endPoint: endpoint.hostname,
  port: Number(endpoint.port),
  useSSL: endpoint.protocol === 'https:',
  accessKey: credentials.accessKeyId,
  secretKey: credentials.secretAccessKey,
  region,
  pathStyle: true,
});

const lean = new LeanClient({ endpoint: endpoint.origin, region, ...credentials, bucket });

const PART = 8 * 1024 * 1024;

/** The library sends each body in one request. This function sends a large file in parts, eight at once. */
async function leanUpload(path: string, key: string): Promise<void> {
  const file = await open(path);
  const { size } = await file.stat();
  try {
    if (size <= PART) return await lean.file(key).write(await file.readFile());
    const { uploadId } = await lean.createMultipartUpload(key);
    const numbers = Array.from({ length: Math.ceil(size / PART) }, (_, index) => index + 1);
    const parts: { partNumber: number; etag: string }[] = [];
    await atOnce(numbers, 8, async (number) => {
      const bytes = Buffer.allocUnsafe(Math.min(PART, size - (number - 1) * PART));
      await file.read(bytes, 0, bytes.length, (number - 1) * PART);
      parts.push(await lean.uploadPart(key, uploadId, bytes, number));
    });
    parts.sort((a, b) => a.partNumber - b.partNumber);
    await lean.completeMultipartUpload(key, uploadId, parts);
  } finally {
    await file.close();
  }
}

async function keys(): Promise<string[]> {
  if (!many) return [prefix];
  const found: string[] = [];
  for (let token: string | undefined, more = true; more;) {
    const page = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }));
    for (const entry of page.Contents ?? []) found.push(entry.Key!);
    token = page.NextContinuationToken;
    more = token !== undefined;
  }
  return found;
}

if (direction === 'up') {
  const files = many ? readdirSync(local).map((name) => [join(local, name), prefix + name] as const) : [[local, prefix] as const];
  await atOnce(files, 32, ([path, Key]) =>
    library === 'minio'
      ? minio.fPutObject(bucket, Key, path)
      : library === 'lean-s3'
        ? leanUpload(path, Key)
        : new Upload({
            client: s3,
            params: { Bucket: bucket, Key, Body: createReadStream(path) },
            queueSize: 8,
            partSize: PART,
          }).done(),
  );
} else {
  if (many) mkdirSync(local, { recursive: true });
  await atOnce(await keys(), 32, async (Key) => {
    const path = many ? join(local, basename(Key)) : local;
    if (library === 'minio') return minio.fGetObject(bucket, Key, path);
    if (library === 'lean-s3') return pipeline(Readable.fromWeb(lean.file(Key).stream() as never), createWriteStream(path));
    const response = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
    return pipeline(response.Body as Readable, createWriteStream(path));
  });
}

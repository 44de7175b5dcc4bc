import { CreateMultipartUploadCommand, GetObjectCommand, UploadPartCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3';
import { CompleteMultipartUploadCommand } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { appendFile, readdir, rm, truncate } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';

const PART = 5 * 1024 ** 2;
let service: TestEndpoint;
beforeAll(async () => void (service = await TestEndpoint.start()));
afterAll(() => service.stop());

/** One connection for all requests. A body of the wrong length would become part of the next response. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

interface ReceivedResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

function get(url: string, headers: Record<string, string> = {}): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (response) => {
      buffer(response).then((body) => resolve({ status: response.statusCode!, headers: response.headers, body }), reject);
    });
    sent.on('error', reject).end();
  });
}

const authorized = () => ({ Authorization: `Bearer ${service.apiKey}` });

async function put(path: string, bytes: Buffer): Promise<FileRecord> {
  const url = `${service.restUrl}/v1/files/${path}?visibility=public`;
  const httpResponse = await fetch(url, { method: 'PUT', headers: authorized(), body: bytes as BodyInit });
  return ((await httpResponse.json()) as { response: FileRecord }).response;
}

async function post<T>(path: string, body: object): Promise<T> {
  const headers = { ...authorized(), 'Content-Type': 'application/json' };
  const httpResponse = await fetch(service.restUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return ((await httpResponse.json()) as { response: T }).response;
}

const folder = () => join(service.dataDir, 'blobs', 'data');
const storedBlobs = async () =>
  (await readdir(folder(), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Stores a file and damages its bytes on the disk. */
async function putDamaged(path: string, size: number, damage: (blob: string) => Promise<void>): Promise<FileRecord> {
  const before = new Set(await storedBlobs());
  const file = await put(path, randomBytes(size));
  const blob = (await storedBlobs()).find((path) => !before.has(path));
  await damage(blob!);
  return file;
}

async function readFailures(kind: string): Promise<number> {
  const { body } = await get(`${service.restUrl}/metrics`);
  return Number(new RegExp(`svc_store_read_failures_total\\{kind="${kind}"\\} (\\d+)`).exec(body.toString())?.[1] ?? 0);
}

const SIZE = 300_000;
const DAMAGES: [kind: string, damage: (blob: string) => Promise<void>][] = [
  ['short', (blob) => truncate(blob, SIZE - 100)],
  ['long', (blob) => appendFile(blob, 'more')],
  ['missing', (blob) => rm(blob)],
];

describe.each(DAMAGES)('a stored file that is %s', (kind, damage) => {
  it('is rejected by every route, and the connection stays usable', async () => {
    const whole = await put(`whole-${kind}.txt`, Buffer.from('whole'));
    const { path, id, url } = await putDamaged(`dir-${kind}/damaged.bin`, SIZE, damage);
    const link = await post<{ url: string }>(`/v1/files/${id}/links`, {});
    const share = await post<{ url: string }>('/v1/shares', { prefix: `dir-${kind}` });
    const before = await readFailures(kind);
    const routes: [string, Record<string, string>][] = [
      [url!, {}],
      [`${service.restUrl}/v1/files/${id}/content`, authorized()],
      [link.url, {}],
      [`${share.url.replace(/\/?$/, '/')}damaged.bin`, {}],
      [url!, { Range: 'bytes=0-9' }],
    ];
    for (const [route, headers] of routes) {
      const httpResponse = await get(route, headers);
      expect([route, httpResponse.status, httpResponse.headers['cache-control']]).toEqual([route, 500, undefined]);
      expect(JSON.parse(httpResponse.body.toString())).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
      expect((await get(whole.url!)).body.toString()).toBe('whole');
    }
    const s3 = service.client();
    for (const Range of [undefined, 'bytes=0-9', 'bytes=-5'])
      await expect(s3.send(new GetObjectCommand({ Bucket: 'main', Key: path, Range }))).rejects.toMatchObject({
        name: 'InternalError',
      });
    const upload = { Bucket: 'main', Key: `copied-${kind}` };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(upload));
    const copy = new UploadPartCopyCommand({ ...upload, UploadId, PartNumber: 1, CopySource: `main/${path}` });
    await expect(s3.send(copy)).rejects.toMatchObject({ name: 'InternalError' });
    expect(await readFailures(kind)).toBe(before + routes.length + 4);
  });
});

it('a download ends its connection if a later part is too short', async () => {
  const s3 = service.client();
  const upload = { Bucket: 'main', Key: 'in-parts' };
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(upload));
  const bodies = [randomBytes(PART), randomBytes(1000), randomBytes(10)];
  const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
  const blobs: string[] = [];
  for (const [index, Body] of bodies.slice(0, 2).entries()) {
    const before = new Set(await storedBlobs());
    const { ETag } = await s3.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: index + 1, Body }));
    Parts.push({ ETag, PartNumber: index + 1 });
    blobs.push(...(await storedBlobs()).filter((path) => !before.has(path)));
  }
  await s3.send(new CompleteMultipartUploadCommand({ ...upload, UploadId, MultipartUpload: { Parts } }));
  const { files } = await (
    await fetch(`${service.restUrl}/v1/files?prefix=in-parts`, { headers: authorized() })
  )
    .json()
    .then(({ response }: { response: { files: FileRecord[] } }) => response);
  await truncate(blobs[1]!, 500);
  const before = await readFailures('short');
  await expect(get(`${service.restUrl}/v1/files/${files[0]!.id}/content`, authorized())).rejects.toThrow();
  const received = await s3.send(new GetObjectCommand(upload));
  await expect(received.Body!.transformToByteArray()).rejects.toThrow();
  expect(await readFailures('short')).toBe(before + 2);
  // The part before the damaged one can be read.
  const range = await get(`${service.restUrl}/v1/files/${files[0]!.id}/content`, { ...authorized(), Range: 'bytes=0-99' });
  expect([range.status, range.body.equals(bodies[0]!.subarray(0, 100))]).toEqual([206, true]);
});

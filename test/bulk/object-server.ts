import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checksumOf } from '../../src/bulk/s3/checksums.js';
import { portableDigests } from '../../src/bulk/s3/digests.js';
import { originOf } from '../../src/bulk/http/http-client.js';
import type { Origin } from '../../src/bulk/http/http-client.js';
import { build } from '../../scripts/build.js';
import { createCertificate } from '../support/certificate.js';

export const MiB = 1024 * 1024;
export const serverFolder = mkdtempSync(join(tmpdir(), 'bulk-filling-'));
export const objectBytes = randomBytes(48 * MiB + 11);
/** Faults of the next responses to range requests. */
export const nextFaults: ('cut' | 'wrong' | 'long')[] = [];
/** The number of GET requests so far. */
export let getCount = 0;

/** The content of a medium object, which is downloaded in one response. */
export const mediumBytes = objectBytes.subarray(0, 3 * MiB + 5);
const crc64 = checksumOf(portableDigests, 'CRC64NVME', mediumBytes);
const md5 = createHash('md5').update(mediumBytes).digest('hex');

/** Headers of the medium object, by the ending of its key. */
export const MEDIUM_HEADERS = {
  crc64: { 'x-amz-checksum-crc64nvme': crc64 },
  md5: { etag: `"${md5}"` },
  'wrong-crc64': { 'x-amz-checksum-crc64nvme': crc64.replace(/./, (first) => (first === 'A' ? 'B' : 'A')) },
  'wrong-md5': { etag: `"${md5.replace(/./, (first) => (first === 'a' ? 'b' : 'a'))}"` },
};
/** The lengths of the next responses with the medium object. */
export const nextLengths: number[] = [];

function sendMedium(request: IncomingMessage, response: ServerResponse): void {
  const size = request.method === 'HEAD' ? mediumBytes.length : (nextLengths.shift() ?? mediumBytes.length);
  const mediumHeaders = (MEDIUM_HEADERS as Record<string, Record<string, string>>)[/middle-(.*)$/.exec(request.url!)![1]!];
  const fault = request.method === 'HEAD' ? undefined : nextFaults.shift();
  response.writeHead(200, { etag: '"v-1"', 'content-length': size, ...mediumHeaders });
  if (fault === 'cut') return void response.write(mediumBytes.subarray(0, size / 2), () => response.destroy());
  response.end(
    request.method === 'HEAD'
      ? undefined
      : Buffer.alloc(size, mediumBytes).fill(mediumBytes, 0, Math.min(size, mediumBytes.length)),
  );
}

/**
 * Behaves like a store that has one object under every key. Keys that begin with `middle-` have the medium object.
 * `dribble` is sent in small pieces, `hang` stops halfway, `whole` ignores ranges, and `gone` does not exist.
 */
const handleRequest: RequestListener = (request, response) => {
  if (request.url!.includes('/middle-')) return sendMedium(request, response);
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  const [start, end] = range === null ? [0, objectBytes.length - 1] : [Number(range[1]), Number(range[2])];
  const fault = range === null ? undefined : nextFaults.shift();
  if (request.url === '/b/whole')
    return response.writeHead(200, { etag: '"v-1"', 'content-length': objectBytes.length }).end(objectBytes);
  const body = objectBytes.subarray(start, end + 1 + (fault === 'long' ? 1000 : 0));
  if (request.method === 'GET') getCount++;
  if (request.url === '/b/gone') return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  const headers = { etag: '"v-1"', 'last-modified': new Date(1e12).toUTCString(), 'content-length': String(body.length) };
  const contentRange =
    fault === 'wrong' ? `bytes ${start + 1}-${end + 1}/${objectBytes.length}` : `bytes ${start}-${end}/${objectBytes.length}`;
  response.writeHead(range === null ? 200 : 206, { ...headers, ...(range !== null && { 'content-range': contentRange }) });
  if (request.method === 'HEAD') return response.end();
  if (fault === 'cut') return response.write(body.subarray(0, body.length / 2), () => response.destroy());
  if (request.url === '/b/hang') return response.write(body.subarray(0, 300_000));
  if (request.url !== '/b/dribble') return response.end(body);
  let offset = 0;
  const next = (): void => {
    if (offset >= body.length) return void response.end();
    const size = 1 + ((offset * 7919) % 40_000);
    response.write(body.subarray(offset, (offset += size)), () => setImmediate(next));
  };
  return next();
};
const servers: ReturnType<typeof createServer>[] = [];
export const origins: Record<string, Origin> = {};
export let tls: { ca: string };

async function listen(name: string, server: ReturnType<typeof createServer>): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  origins[name] = originOf(new URL(`${name}://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

export async function startObjectServer(): Promise<void> {
  await build({ ifStale: true });
  const { key, cert } = createCertificate(serverFolder);
  tls = { ca: readFileSync(cert, 'utf8') };
  await listen('http', createServer(handleRequest));
  await listen('https', createHttps({ key: readFileSync(key), cert: tls.ca }, handleRequest));
}

export function stopObjectServer(): void {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(serverFolder, { recursive: true, force: true });
}

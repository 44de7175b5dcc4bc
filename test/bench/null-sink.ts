import { readFileSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import type { AddressInfo, SocketConstructorOpts } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { nodeCrcs } from '../../src/bulk/node/checksums/node-crcs.js';
import { runningChecksum } from '../../src/bulk/s3/checksums.js';
import { encodeQuery } from '../../src/bulk/s3/object-keys.js';

/**
 * An S3 store that discards every body and returns zeros, so that benchmarks measure the client alone. It keeps keys, sizes and
 * metadata, checks no signature, and returns checksums as the client stated them. As a program it prints its port. With the paths of a
 * key and a certificate it serves TLS. With `SINK_CHECKSUM=crc64nvme` it returns the CRC64NVME of objects, as AWS does.
 */

interface Stored {
  size: number;
  modified: string;
  headers: string;
}

interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Map<string, string>;
  bytes: number;
}

const objects = new Map<string, Stored>();
/** Sizes of the parts of unfinished uploads. */
const uploads = new Map<string, { parts: Map<string, number>; headers: string }>();
let ids = 0;
let sorted: string[] | undefined;

const ZEROS = Buffer.alloc(1024 * 1024);
const EXPECT = 'HTTP/1.1 100 Continue\r\n\r\n';
const now = (): string => new Date().toUTCString();

/** Buffer for all connections. Each uses it only during its own callback. */
const READ_BUFFER = new Uint8Array(512 * 1024);

/**
 * Gives an accepted connection the shared read buffer. Node would allocate a new buffer for every 64 KiB, and the sink would cost four
 * times as much CPU. Node offers this option to clients only, so the function uses the internal handle.
 */
function adopt(accepted: Socket): void {
  const raw = accepted as unknown as { _handle: unknown };
  const onread = {
    buffer: READ_BUFFER,
    callback: (size: number, buffer: Uint8Array) => {
      take(Buffer.from(buffer.buffer, 0, size));
      return true;
    },
  };
  const socket = new Socket({ handle: raw._handle, onread } as SocketConstructorOpts);
  raw._handle = null;
  const take = reader(socket);
  socket.on('end', () => socket.end());
  socket.resume();
}

function reader(socket: Socket): (data: Buffer) => void {
  socket.setNoDelay(true);
  let head: Buffer = Buffer.alloc(0);
  let request: Request | undefined;
  let left = 0;
  let kept: Buffer[] = [];
  socket.on('error', () => socket.destroy());
  return (data) => {
    let bytes = data;
    while (bytes.length > 0) {
      if (request === undefined) {
        head = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
        const end = head.indexOf('\r\n\r\n');
        // The rest of the chunk is in the same buffer.
        if (end < 0) return void (head = Buffer.from(head));
        request = parse(head.toString('latin1', 0, end));
        bytes = head.subarray(end + 4);
        head = Buffer.alloc(0);
        left = request.bytes;
        kept = [];
        if (request.headers.get('expect') === '100-continue') socket.write(EXPECT);
      } else {
        const taken = Math.min(left, bytes.length);
        if (request.method === 'POST') kept.push(Buffer.from(bytes.subarray(0, taken)));
        left -= taken;
        bytes = bytes.subarray(taken);
      }
      if (left === 0) {
        const done = request;
        request = undefined;
        respond(socket, done, Buffer.concat(kept).toString());
      }
    }
    return undefined;
  };
}

function parse(text: string): Request {
  const lines = text.split('\r\n');
  const [method, target] = lines[0]!.split(' ') as [string, string];
  const headers = new Map<string, string>();
  for (let i = 1; i < lines.length; i++) {
    const colon = lines[i]!.indexOf(':');
    headers.set(lines[i]!.slice(0, colon).toLowerCase(), lines[i]!.slice(colon + 1).trim());
  }
  const question = target.indexOf('?');
  const path = decodeURIComponent(question < 0 ? target : target.slice(0, question));
  const query = new URLSearchParams(question < 0 ? '' : target.slice(question + 1));
  return { method, path, query, headers, bytes: Number(headers.get('content-length') ?? 0) };
}

const reply = (socket: Socket, status: number, headers: string, body = ''): void =>
  void socket.write(
    `HTTP/1.1 ${status} OK\r\nDate: ${now()}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );

/** Content type and user metadata, for later responses. */
function storedHeaders(headers: Map<string, string>): string {
  let text = '';
  for (const [name, value] of headers)
    // Without rclone's MD5, because the zeros that the sink returns have another.
    if ((name.startsWith('x-amz-meta-') && name !== 'x-amz-meta-md5chksum') || name === 'content-type')
      text += `${name}: ${value}\r\n`;
  return text;
}

/** Reads the size of a body. A header states it for `aws-chunked` framing. */
const bodySize = (request: Request): number => Number(request.headers.get('x-amz-decoded-content-length') ?? request.bytes);

function respond(socket: Socket, request: Request, body: string): void {
  const { method, path, query, headers } = request;
  const checksum = headers.get('x-amz-checksum-crc32');
  const echo = checksum === undefined ? '' : `x-amz-checksum-crc32: ${checksum}\r\n`;
  const key = path.split('/').slice(2).join('/');
  if (method === 'PUT') {
    const part = query.get('partNumber');
    if (part !== null) uploads.get(query.get('uploadId')!)?.parts.set(part, bodySize(request));
    else if (key !== '')
      store(path, { size: bodySize(request), modified: new Date().toISOString(), headers: storedHeaders(headers) });
    return reply(socket, 200, `ETag: "sink-1"\r\n${echo}`);
  }
  if (method === 'POST') return post(socket, path, query, headers, body);
  if (method === 'DELETE') return reply(socket, 204, '');
  if (key === '' && query.has('uploads'))
    return reply(socket, 200, '', '<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>');
  if (key === '' && !query.has('location')) return list(socket, path.split('/')[1]!, query);
  if (key === '') return reply(socket, 200, '', '<LocationConstraint/>');
  return read(socket, method, path, headers);
}

function store(path: string, object: Stored): void {
  if (!objects.has(path)) sorted = undefined;
  objects.set(path, object);
}

function post(socket: Socket, path: string, query: URLSearchParams, headers: Map<string, string>, body: string): void {
  if (query.has('uploads')) {
    const id = `upload-${++ids}`;
    uploads.set(id, { parts: new Map(), headers: storedHeaders(headers) });
    return reply(socket, 200, '', `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }
  const id = query.get('uploadId');
  if (id !== null) {
    const upload = uploads.get(id)!;
    const size = [...upload.parts.values()].reduce((sum, part) => sum + part, 0);
    store(path, { size, modified: new Date().toISOString(), headers: upload.headers });
    const checksum =
      /<ChecksumCRC32>[^<]*<\/ChecksumCRC32>/.exec(body) === null ? '' : (headers.get('x-amz-checksum-crc32') ?? '');
    const crc = checksum === '' ? '' : `<ChecksumCRC32>${checksum}</ChecksumCRC32>`;
    // minio-js rejects a response without a location.
    const [, bucket, ...key] = path.split('/');
    const place = `<Location>${path}</Location><Bucket>${bucket}</Bucket><Key>${key.join('/')}</Key>`;
    const made = `${place}<ETag>"sink-1"</ETag>${crc}`;
    return reply(socket, 200, '', `<CompleteMultipartUploadResult>${made}</CompleteMultipartUploadResult>`);
  }
  for (const match of body.matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(`${path.replace(/\/$/, '')}/${match[1]}`);
  sorted = undefined;
  return reply(socket, 200, '', '<DeleteResult></DeleteResult>');
}

function list(socket: Socket, bucket: string, query: URLSearchParams): void {
  sorted ??= [...objects.keys()].sort();
  const prefix = `/${bucket}/${query.get('prefix') ?? ''}`;
  const after = query.get('continuation-token') ?? query.get('start-after') ?? query.get('marker');
  const limit = Number(query.get('max-keys') ?? 1000);
  const encoded = query.get('encoding-type') === 'url';
  let at = lowerBound(after === null ? prefix : `/${bucket}/${after}\u0000`);
  let xml = '';
  let count = 0;
  for (; count < limit && at < sorted.length && sorted[at]!.startsWith(prefix); at++, count++) {
    const key = sorted[at]!.slice(bucket.length + 2);
    const object = objects.get(sorted[at]!)!;
    const name = encoded ? encodeQuery(key) : key;
    xml += `<Contents><Key>${name}</Key><LastModified>${object.modified}</LastModified><ETag>"sink-1"</ETag><Size>${object.size}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
  }
  const more = at < sorted.length && sorted[at]!.startsWith(prefix);
  const last = at > 0 ? sorted[at - 1]!.slice(bucket.length + 2) : '';
  const token = more ? `<NextContinuationToken>${last}</NextContinuationToken><NextMarker>${last}</NextMarker>` : '';
  const facts = `<Name>${bucket}</Name><KeyCount>${count}</KeyCount><IsTruncated>${more}</IsTruncated>${encoded ? '<EncodingType>url</EncodingType>' : ''}`;
  reply(socket, 200, 'Content-Type: application/xml\r\n', `<ListBucketResult>${facts}${token}${xml}</ListBucketResult>`);
}

function lowerBound(wanted: string): number {
  let [low, high] = [0, sorted!.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted![middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function read(socket: Socket, method: string, path: string, headers: Map<string, string>): void {
  const object = objects.get(path);
  if (object === undefined) return reply(socket, 404, '', method === 'HEAD' ? '' : '<Error><Code>NoSuchKey</Code></Error>');
  const range = /^bytes=(\d+)-(\d*)$/.exec(headers.get('range') ?? '');
  const start = range === null ? 0 : Number(range[1]);
  const end = range === null || range[2] === '' ? object.size - 1 : Math.min(Number(range[2]), object.size - 1);
  const size = end - start + 1;
  const checksum =
    process.env['SINK_CHECKSUM'] === 'crc64nvme' ? `x-amz-checksum-crc64nvme: ${crc64OfZeros(object.size)}\r\n` : '';
  const facts = `${object.headers}${checksum}ETag: "sink-1"\r\nLast-Modified: ${new Date(object.modified).toUTCString()}\r\nAccept-Ranges: bytes\r\n`;
  const part = range === null ? '' : `Content-Range: bytes ${start}-${end}/${object.size}\r\n`;
  socket.write(`HTTP/1.1 ${range === null ? 200 : 206} OK\r\nDate: ${now()}\r\n${facts}${part}Content-Length: ${size}\r\n\r\n`);
  if (method !== 'HEAD') void zeros(socket, size);
  return undefined;
}

const crc64s = new Map<number, string>();

/** The checksum that AWS computes for an object without one. */
function crc64OfZeros(size: number): string {
  let known = crc64s.get(size);
  if (known === undefined) {
    const crc = runningChecksum(nodeCrcs, 'CRC64NVME');
    for (let left = size; left > 0; left -= ZEROS.length) crc.update(ZEROS.subarray(0, Math.min(left, ZEROS.length)));
    crc64s.set(size, (known = crc.value()));
  }
  return known;
}

async function zeros(socket: Socket, size: number): Promise<void> {
  for (let left = size; left > 0 && !socket.destroyed; left -= ZEROS.length)
    if (!socket.write(left < ZEROS.length ? ZEROS.subarray(0, left) : ZEROS)) await room(socket);
}

/** Waits until the response can take more bytes or is closed, and removes its listeners. */
const room = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      socket.off('drain', go);
      socket.off('close', go);
      resolve();
    };
    socket.on('drain', go);
    socket.on('close', go);
  });

function adoptTls(socket: Socket): void {
  socket.on('data', reader(socket));
  socket.on('end', () => socket.end());
}

const [key, cert] = process.argv.slice(2).map((path) => readFileSync(path));
const server = key && cert ? createTlsServer({ key, cert }, adoptTls) : createServer({ pauseOnConnect: true }, adopt);
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(port);
});

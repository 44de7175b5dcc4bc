import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Upload as TusUpload } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';
import { offsetOf, locationOf, TusClient } from './tus-client.js';

const MIB = 1024 * 1024;
let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const tusClient = new TusClient(() => service);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('tus discovery', () => {
  it('returns version, extensions and algorithms', async () => {
    const response = await service.call('OPTIONS', '/v1/uploads', { credential: null });
    expect(response.status).toBe(204);
    expect(response.headers.get('tus-version')).toBe('1.0.0');
    expect(response.headers.get('tus-resumable')).toBe('1.0.0');
    expect(response.headers.get('tus-extension')).toBe('creation,creation-with-upload,checksum,expiration,termination');
    expect(response.headers.get('tus-checksum-algorithm')).toBe('sha1,sha256,md5');
  });

  it('responds to a preflight', async () => {
    const response = await service.call('OPTIONS', '/v1/uploads/up_x', {
      credential: null,
      headers: { Origin: 'https://page.example', 'Access-Control-Request-Method': 'PATCH' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('upload-offset');
    expect(response.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('upload-expires');
  });

  it('rejects another version with status 412 and states its own', async () => {
    const response = await tusClient.create({ headers: { 'Tus-Resumable': '0.2.2' } });
    expect(response.status).toBe(412);
    expect(response.headers.get('tus-version')).toBe('1.0.0');
  });
});

describe('a tus upload', () => {
  it('stores the file with the last byte and returns it', async () => {
    const bytes = randomBytes(1000);
    const created = await tusClient.create({
      length: 1000,
      describe: { filename: 'Grüße.txt', filetype: 'text/plain', metadata: '{"a":"b"}' },
    });
    expect(created.status).toBe(201);
    expect(locationOf(created)).toMatch(/^\/v1\/uploads\/up_[a-z2-7]{26}$/);
    expect(offsetOf(created)).toBe(0);
    expect(Date.parse(created.headers.get('upload-expires')!)).toBeGreaterThan(Date.now() + 80_000_000);
    const first = await tusClient.send(locationOf(created), 0, bytes.subarray(0, 400));
    expect([first.status, offsetOf(first)]).toEqual([204, 400]);
    expect((await service.call('GET', '/v1/files?prefix=Gr')).response).toMatchObject({ files: [] });
    const asked = await tusClient.head(locationOf(created));
    expect([asked.status, offsetOf(asked), asked.headers.get('upload-length')]).toEqual([200, 400, '1000']);
    expect(asked.headers.get('upload-metadata')).toContain('filename R3LDvMOfZS50eHQ=');
    expect(asked.headers.get('cache-control')).toBe('no-store');
    const last = await tusClient.send(locationOf(created), 400, bytes.subarray(400));
    expect([last.status, offsetOf(last)]).toEqual([200, 1000]);
    expect(last.response).toMatchObject({
      path: 'Grüße.txt',
      size: 1000,
      content_type: 'text/plain',
      sha256: sha256(bytes),
      etag: createHash('md5').update(bytes).digest('hex'),
      metadata: { a: 'b' },
    });
    expect(Buffer.from(await service.bytesOf(last.response.id)).equals(bytes)).toBe(true);
  });

  it('responds to HEAD and GET after its end, and to a repeated PATCH', async () => {
    const created = await tusClient.create({ length: 3, describe: { filename: 'lost.txt' } });
    const last = await tusClient.send(locationOf(created), 0, 'abc');
    expect(offsetOf(await tusClient.head(locationOf(created)))).toBe(3);
    const read = await service.call<{ file: FileRecord; offset: number }>('GET', locationOf(created));
    expect(read.response).toMatchObject({ offset: 3, length: 3, file: { id: last.response.id } });
    const again = await tusClient.send(locationOf(created), 3, '');
    expect([again.status, again.response.id]).toEqual([200, last.response.id]);
    const gone = await service.call('DELETE', locationOf(created), { headers: { 'Tus-Resumable': '1.0.0' } });
    expect([gone.status, gone.error.code]).toEqual([409, 'FILE_EXISTS']);
  });

  it('accepts bytes with the creation', async () => {
    const whole = await tusClient.create({ length: 5, body: Buffer.from('hello'), describe: { filename: 'whole.txt' } });
    expect([whole.status, offsetOf(whole)]).toEqual([201, 5]);
    expect(whole.response).toMatchObject({ path: 'whole.txt', size: 5 });
    const part = await tusClient.create({ length: 10, body: Buffer.from('hello'), describe: { filename: 'part.txt' } });
    expect([part.status, offsetOf(part)]).toEqual([201, 5]);
    expect((await tusClient.send(locationOf(part), 5, 'world')).response).toMatchObject({ path: 'part.txt', size: 10 });
  });

  it('stores an empty file at once', async () => {
    const created = await tusClient.create({ length: 0, describe: { filename: 'empty.txt' } });
    expect([created.status, created.response.size, created.response.path]).toEqual([201, 0, 'empty.txt']);
  });

  it('accepts many parts and hashes them as one file', async () => {
    const bytes = randomBytes(35 * MIB + 5);
    const created = await tusClient.create({ length: bytes.length, describe: { filename: 'long.bin' } });
    const first = await tusClient.send(locationOf(created), 0, bytes.subarray(0, 17 * MIB));
    expect(offsetOf(first)).toBe(17 * MIB);
    const last = await tusClient.send(locationOf(created), 17 * MIB, bytes.subarray(17 * MIB));
    expect(last.response.sha256).toBe(sha256(bytes));
    expect(sha256(await service.bytesOf(last.response.id))).toBe(sha256(bytes));
  });

  it('works in networks that allow only POST', async () => {
    const created = await tusClient.create({ length: 3, describe: { filename: 'post.txt' } });
    const response = await service.call<FileRecord>('POST', locationOf(created), {
      body: 'abc',
      headers: {
        'Tus-Resumable': '1.0.0',
        'Upload-Offset': '0',
        'Content-Type': 'application/offset+octet-stream',
        'X-HTTP-Method-Override': 'PATCH',
      },
    });
    expect([response.status, response.response.path]).toEqual([200, 'post.txt']);
  });

  it('works with tus-js-client', async () => {
    const bytes = randomBytes(5 * MIB);
    const { token } = await service.mint({ prefix: 'tus-js', max_size: 6 * MIB });
    const file = await new Promise<string>((resolve, reject) => {
      const upload = new TusUpload(Readable.from([bytes], { objectMode: false }), {
        endpoint: `${service.url}/v1/uploads`,
        uploadSize: bytes.length,
        chunkSize: 2 * MIB,
        headers: { Authorization: `Bearer ${token}` },
        metadata: { filename: 'clip.mp4', filetype: 'video/mp4' },
        onError: reject,
        onSuccess: ({ lastResponse }) => resolve(lastResponse.getBody()),
      });
      upload.start();
    });
    expect((JSON.parse(file) as { response: FileRecord }).response).toMatchObject({ size: bytes.length, sha256: sha256(bytes) });
  });
});

describe('an interrupted tus upload', () => {
  it('keeps the bytes that arrived before the connection was cut', async () => {
    const bytes = randomBytes(12 * MIB);
    const created = await tusClient.create({ length: bytes.length, describe: { filename: 'cut.bin' } });
    const line = await tusClient.startPatch(locationOf(created), service.key, 0, bytes.length, bytes.subarray(0, 10 * MIB + 77));
    line.cut();
    const offset = await tusClient.waitForOffset(locationOf(created), (reached) => reached > 9 * MIB);
    expect(offset).toBeGreaterThan(9 * MIB);
    expect(offset).toBeLessThanOrEqual(10 * MIB + 77);
    const last = await tusClient.send(locationOf(created), offset, bytes.subarray(offset));
    expect(last.response.sha256).toBe(sha256(bytes));
  });

  it('continues with the newest request instead of a hanging one', async () => {
    const bytes = randomBytes(3 * MIB);
    const created = await tusClient.create({ length: bytes.length, describe: { filename: 'hang.bin' } });
    const old = await tusClient.startPatch(locationOf(created), service.key, 0, bytes.length, bytes.subarray(0, MIB));
    // The bytes must have arrived before HEAD interrupts the request. A kernel may still hold some.
    let offset = 0;
    for (let tries = 0; tries < 100 && offset === 0; tries++) offset = offsetOf(await tusClient.head(locationOf(created)));
    const last = await tusClient.send(locationOf(created), offset, bytes.subarray(offset));
    expect(last.status).toBe(200);
    expect(last.response.sha256).toBe(sha256(bytes));
    old.cut();
    expect(await old.response()).not.toContain('HTTP/1.1 200');
    expect(await service.paths()).toContain('hang.bin');
  });

  it('rejects a wrong offset and states the right one', async () => {
    const created = await tusClient.create({ length: 10, describe: { filename: 'offset.txt' } });
    await tusClient.send(locationOf(created), 0, 'abcd');
    const response = await tusClient.send(locationOf(created), 2, 'xx');
    expect([response.status, response.error.code, response.error.details['offset'], offsetOf(response)]).toEqual([
      409,
      'UPLOAD_OFFSET_MISMATCH',
      4,
      4,
    ]);
    expect(offsetOf(await tusClient.head(locationOf(created)))).toBe(4);
  });

  it('accepts one of several requests at the same offset', async () => {
    const created = await tusClient.create({ length: 8, describe: { filename: 'race.txt' } });
    const responses = await Promise.all(
      ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].map((body) => tusClient.send(locationOf(created), 0, body)),
    );
    expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
    for (const response of responses) expect([200, 409]).toContain(response.status);
    const winner = responses.find((response) => response.status === 200)!;
    expect(new Set(Buffer.from(await service.bytesOf(winner.response.id)).toString()).size).toBe(1);
  });

  it('rejects more bytes than announced', async () => {
    const created = await tusClient.create({ length: 4, describe: { filename: 'surplus.txt' } });
    const stated = await tusClient.send(locationOf(created), 0, 'abcdef');
    expect([stated.status, stated.error.code]).toEqual([413, 'BLOB_FILE_TOO_LARGE']);
    const chunked = await tusClient.send(locationOf(created), 0, new Blob(['abcdef']).stream() as unknown as BodyInit);
    expect([chunked.status, chunked.error.code]).toEqual([413, 'BLOB_FILE_TOO_LARGE']);
    expect(await service.paths()).not.toContain('surplus.txt');
    expect(offsetOf(await tusClient.head(locationOf(created)))).toBe(0);
  });

  it('rejects an invalid tus request and names the field', async () => {
    const created = await tusClient.create({ describe: { filename: 'form.txt' } });
    expect((await tusClient.send(locationOf(created), 0, 'x', { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
    expect((await tusClient.send(locationOf(created), 0, 'x', { headers: { 'Upload-Offset': '-1' } })).error.path).toBe(
      'upload-offset',
    );
    expect((await tusClient.create({ headers: { 'Upload-Length': 'ten' } })).error.path).toBe('upload-length');
    expect((await tusClient.create({ headers: { 'Upload-Metadata': 'filename ***' } })).error.path).toBe('upload-metadata');
    expect((await tusClient.create({ headers: { 'Upload-Metadata': '' } })).error.path).toBe('upload-metadata');
    expect((await tusClient.create({ headers: { 'Upload-Defer-Length': '1' } })).error.path).toBe('upload-defer-length');
    expect((await tusClient.create({ key: 'short' })).error.path).toBe('idempotency-key');
    expect((await tusClient.create({ describe: { filename: 'a', path: '../b' } })).error.code).toBe('INVALID_PATH');
    expect((await tusClient.create({ describe: { filename: 'a', visibility: 'secret' } })).error.path).toBe('visibility');
  });
});

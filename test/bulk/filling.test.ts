import { getEventListeners } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nodeTls from 'node:tls';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { checksumOf } from '../../src/bulk/s3/checksums.js';
import type { ChecksumName } from '../../src/bulk/s3/checksums.js';
import { portableDigests } from '../../src/bulk/s3/digests.js';
import { fillHere } from '../../src/bulk/node/download-workers/download-to-file.js';
import { Filler } from '../../src/bulk/node/download-workers/download-worker.js';
import type { FillRequest } from '../../src/bulk/node/download-workers/download-worker.js';
import { settingFor } from '../../src/bulk/node/download-workers/messages.js';
import { NodeWire } from '../../src/bulk/node/http/http-client.js';
import type { WireAnswer } from '../../src/bulk/http/http-client.js';
import { bytes, faults, folder, lengths, MiB, middle, origins, start, stop, tls, TOLD } from './one-object.js';

beforeAll(start, 120_000);
afterAll(stop);

let wire: NodeWire;
const path = join(folder, 'file');
let fd = -1;
let moved = 0;
beforeEach(() => {
  writeFileSync(path, Buffer.alloc(4 * MiB, 0x2e));
  fd = openSync(path, 'r+');
  moved = 0;
  wire = new NodeWire({ tls });
});
afterEach(() => {
  closeSync(fd);
  wire.close();
  faults.length = 0;
});

let scheme = 'http';
/** Bytes 1000 and on of the object, to byte 5000 and on of the file. */
const asking = (
  key: string,
  size: number,
  more: { signal?: AbortSignal; checksum?: ChecksumName | 'told'; allowed?: number; exact?: boolean } = {},
) =>
  ({
    method: 'GET',
    origin: origins[scheme]!,
    target: `/b/${key}`,
    headers: { host: 'store', range: `bytes=1000-${999 + size}` },
    signal: more.signal ?? new AbortController().signal,
    into: {
      fd,
      position: 5000,
      size: more.allowed ?? size,
      exact: more.exact ?? true,
      checksum: more.checksum ?? 'CRC32',
      moved: (count: number) => (moved += count),
    },
  }) satisfies FillRequest;

function expectFile(size: number): void {
  const expected = Buffer.alloc(4 * MiB, 0x2e);
  bytes.copy(expected, 5000, 1000, 1000 + size);
  expect(readFileSync(path).equals(expected)).toBe(true);
}

type Fill = (request: FillRequest) => Promise<WireAnswer>;
const here: Fill = (request) => fillHere(wire, request);
const WAYS: [over: string, by: string, fill: Fill][] = [
  ['http', 'this thread', here],
  ['https', 'this thread', here],
  ['http', 'another thread', aside],
  ['https', 'another thread', aside],
];
let filler: Filler | undefined;
afterAll(() => filler?.close());

const setUp = (to: { ca?: string } = tls): Filler => new Filler(settingFor(to, 60, true), { heard: false });

async function aside(request: FillRequest): Promise<WireAnswer> {
  if (filler?.state !== 'ready') {
    filler = setUp();
    await filler.fill(asking('one', 10), undefined);
    moved = 0;
  }
  const answer = await filler.fill(request, undefined);
  if (answer === undefined) throw new Error('the thread gave it back');
  return answer;
}

describe.each(WAYS)('a file that is filled over %s by %s', (over, _, fill) => {
  beforeEach(() => void (scheme = over));

  it.each(['one', 'dribble'])('has the bytes at their place, and tells their checksum (%s)', async (key) => {
    for (const checksum of ['CRC32', 'CRC32C', 'CRC64NVME'] as const) {
      moved = 0;
      const answer = await fill(asking(key, 1_300_003, { checksum }));
      const expected = checksumOf(portableDigests, checksum, bytes.subarray(1000, 1_301_003));
      expect(answer).toMatchObject({ status: 206, filled: { bytes: 1_300_003, checksum: expected } });
      expect(moved).toBe(1_300_003);
    }
    expectFile(1_300_003);
  });

  it('has more ranges under way at once than there are slots', async () => {
    const asked = Array.from({ length: 24 }, (_one, at) => {
      const request = asking(at % 4 === 0 ? 'one' : 'dribble', 150_000);
      request.headers.range = `bytes=${1000 + at * 150_000}-${1000 + at * 150_000 + 149_999}`;
      return fill({ ...request, into: { ...request.into, position: 5000 + at * 150_000 } });
    });
    await Promise.all(asked);
    expectFile(3_600_000);
  });

  it('is not touched behind its range by an answer that is longer', async () => {
    const filling = fill(asking('one', 900_000, { allowed: 700_000 }));
    await expect(filling).rejects.toMatchObject({ code: 'UnexpectedAnswer' });
    expect(
      readFileSync(path)
        .subarray(705_000)
        .equals(Buffer.alloc(4 * MiB - 705_000, 0x2e)),
    ).toBe(true);
    expect(moved).toBe(0);
  });

  it('counts nothing of an answer that breaks off', async () => {
    faults.push('cut');
    await expect(fill(asking('one', 1_500_000))).rejects.toMatchObject({ name: 'S3Error', code: 'ConnectionFailed' });
    expect(moved).toBe(0);
  });

  it.each(['CRC32', 'told'] as const)('is left alone by an answer that is an error (%s)', async (checksum) => {
    const answer = await fill(asking('gone', 5, { checksum }));
    expect(answer).toMatchObject({ status: 404, filled: { bytes: 0 } });
    expect(new TextDecoder().decode(answer.body)).toContain('NoSuchKey');
    expectFile(0);
  });

  it.each([
    ['crc64', TOLD.crc64['x-amz-checksum-crc64nvme'], 'AAAAAAAAAAA='],
    ['md5', TOLD.md5.etag.slice(1, -1), 'd41d8cd98f00b204e9800998ecf8427e'],
    ['untold', undefined, undefined],
  ])('has what the answer tells of it computed, however long it is (%s)', async (key, checksum, ofNothing) => {
    for (const size of [middle.length, 0]) {
      lengths.push(size);
      const { into, headers: _, ...request } = asking(`middle-${key}`, 5, { checksum: 'told', exact: false });
      const answer = await fill({ ...request, headers: { host: 'store' }, into: { ...into, position: 0 } });
      expect(answer.filled!.bytes).toBe(size);
      expect(answer.filled!.checksum).toBe(size > 0 ? checksum : ofNothing);
    }
    expect(readFileSync(path).subarray(0, middle.length).equals(middle)).toBe(true);
  });

  it('tells of the disk none but who writes there', async ({ skip }) => {
    skip(!existsSync('/dev/full'), 'only Linux has a file that is full');
    const full = openSync('/dev/full', 'w');
    const doomed = asking('dribble', 1_000_000);
    const outcomes = await Promise.allSettled([
      fill({ ...doomed, into: { ...doomed.into, fd: full } }),
      fill(asking('dribble', 1_000_000)),
    ]).finally(() => closeSync(full));
    expect(outcomes).toMatchObject([{ status: 'rejected', reason: { cause: { code: 'ENOSPC' } } }, { status: 'fulfilled' }]);
    expectFile(1_000_000);
  });

  it('tells what the disk says', async ({ skip }) => {
    skip(!existsSync('/dev/full'), 'only Linux has a file that is full');
    const full = openSync('/dev/full', 'w');
    const request = asking('one', 500_000);
    const filling = fill({ ...request, into: { ...request.into, fd: full } }).finally(() => closeSync(full));
    await expect(filling).rejects.toMatchObject({
      name: 'S3Error',
      code: 'TargetUnwritable',
      message: expect.stringContaining('ENOSPC'),
      cause: { code: 'ENOSPC' },
    });
  });

  it('is not touched by another range than was asked for, or by all of the object', async () => {
    faults.push('wrong');
    await expect(fill(asking('one', 300_000))).rejects.toMatchObject({ code: 'UnexpectedAnswer' });
    await expect(fill(asking('whole', 300_000))).rejects.toMatchObject({ message: expect.stringContaining('all of it') });
    expectFile(0);
  });

  it('is let go when the request is stopped', async () => {
    const stop = new AbortController();
    const filling = fill(asking('hang', 1_000_000, { signal: stop.signal }));
    await vi.waitFor(() => expect(readFileSync(path).equals(Buffer.alloc(4 * MiB, 0x2e))).toBe(false), 10_000);
    stop.abort();
    await expect(filling).rejects.toMatchObject({ code: 'Aborted' });
    expect(moved).toBe(0);
    await expect(fill(asking('one', 10, { signal: stop.signal }))).rejects.toMatchObject({ code: 'Aborted' });
  });
});

describe('a thread that fills files', () => {
  beforeEach(() => void (scheme = 'http'));

  /** One of its own, and what it runs in. */
  function begin(more: { ca?: string } = tls): { filler: Filler; worker: Promise<Worker> } {
    const worker = new Promise<Worker>((resolve) => process.once('worker', resolve));
    return { filler: setUp(more), worker };
  }

  it('gives back what it had in hand when it ends', async () => {
    const { filler, worker } = begin();
    await filler.fill(asking('one', 10), undefined);
    moved = 0;
    const filling = filler.fill(asking('hang', 1_000_000), undefined);
    await vi.waitFor(() => expect(moved).toBeGreaterThan(0), 10_000);
    await (await worker).terminate();
    expect(await filling).toBeUndefined();
    expect([moved, filler.state, filler.load]).toEqual([0, 'failed', 0]);
  });

  it('gives back what it cannot reach as it is set up', async () => {
    const { filler } = begin({});
    scheme = 'https';
    expect(await filler.fill(asking('one', 1000), undefined)).toBeUndefined();
    expect([moved, filler.state]).toEqual([0, 'failed']);
  });

  it('says so when a connection breaks that had served, be it the first', async () => {
    const { filler } = begin();
    faults.push('cut');
    await expect(filler.fill(asking('one', 900_000), undefined)).rejects.toMatchObject({ code: 'ConnectionFailed' });
    expect(filler.state).toBe('ready');
    filler.close();
  });

  it('is stopped before it has begun, and ends when it is told to, after what it does', async () => {
    const { filler, worker } = begin();
    const stop = new AbortController();
    const filling = filler.fill(asking('hang', 1_000_000, { signal: stop.signal }), undefined);
    const ended = worker.then((one) => new Promise((resolve) => one.once('exit', resolve)));
    filler.close();
    stop.abort();
    await expect(filling).rejects.toMatchObject({ code: 'Aborted' });
    await ended;
    expect([filler.state, moved]).toEqual(['closing', 0]);
  });

  it('is told how strictly this process connects', async () => {
    const { DEFAULT_MIN_VERSION } = nodeTls;
    nodeTls.DEFAULT_MIN_VERSION = 'TLSv1.3';
    try {
      const { minVersion, ca } = settingFor(tls, 60, true).tls;
      expect({ minVersion, ca }).toEqual({ minVersion: 'TLSv1.3', ca: tls.ca });
      expect(settingFor({ secureProtocol: 'TLSv1_2_method' }, 60, true).tls).not.toHaveProperty('minVersion');
    } finally {
      nodeTls.DEFAULT_MIN_VERSION = DEFAULT_MIN_VERSION;
    }
  });

  it('leaves nothing that hears a signal', async () => {
    const { filler } = begin();
    const { signal } = new AbortController();
    for (let i = 0; i < 5; i++) await filler.fill(asking('one', 1000, { signal }), undefined);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    filler.close();
  });
});

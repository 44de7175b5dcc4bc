import { SignatureV4 } from '@smithy/signature-v4';
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AdaptiveConcurrency } from '../../src/bulk/transfer/adaptive-concurrency.js';
import { formatMtime, parseMode, parseMtime, sameTime } from '../../src/bulk/s3/file-metadata.js';
import { compareKeys, encodeKey, keyProblem, localPath, windowsProblem } from '../../src/bulk/s3/object-keys.js';
import { parseIni } from '../../src/bulk/node/config/ini.js';
import { portableDigests } from '../../src/bulk/s3/digests.js';
import { ResponseParser } from '../../src/bulk/node/http/response-parser.js';
import { Signer } from '../../src/bulk/s3/sigv4.js';

const MiB = 1024 * 1024;
const never = new AbortController().signal;

describe('the concurrency', () => {
  /** A store that serves at most `capacity` requests at once, each in `ms`. */
  async function settle(capacity: number, rounds: number): Promise<number> {
    let now = 0;
    const concurrency = new AdaptiveConcurrency({ now: () => now, window: 100 });
    for (let round = 0; round < rounds; round++) {
      const at = concurrency.limit;
      for (let i = 0; i < at; i++) await concurrency.acquire(never, 1000);
      const waiting = concurrency.acquire(never, 1000);
      // Beyond its capacity the store only lets requests wait.
      now += 10 * Math.ceil(at / capacity) * (at > capacity ? at / capacity / Math.ceil(at / capacity) : 1);
      for (let i = 0; i < at; i++) concurrency.release(1000, true);
      await waiting;
      concurrency.release(1000, true);
    }
    return concurrency.limit;
  }

  it('grows while it pays, and not beyond', async () => {
    expect(await settle(1000, 400)).toBe(128);
    const limit = await settle(40, 400);
    expect(limit).toBeGreaterThanOrEqual(36);
    expect(limit).toBeLessThanOrEqual(82);
  });

  it('halves when the store asks for less, once however many answers say so', () => {
    let now = 0;
    const concurrency = new AdaptiveConcurrency({ start: 32, now: () => now });
    for (let i = 0; i < 10; i++) concurrency.backOff();
    expect(concurrency.limit).toBe(16);
    now += 1001;
    concurrency.backOff();
    expect(concurrency.limit).toBe(8);
  });

  it('keeps places for small requests beside those of a large file', async () => {
    const concurrency = new AdaptiveConcurrency({ fixed: 6 });
    const inside: string[] = [];
    const ask = async (name: string, weight: number): Promise<void> => {
      await concurrency.acquire(never, weight);
      inside.push(name);
    };
    for (let part = 1; part <= 20; part++) void ask('part', 8 * MiB);
    for (let file = 1; file <= 5; file++) void ask('file', 10_240);
    await Promise.resolve();
    expect(inside).toEqual(Array(6).fill('part'));
    // Two parts end: their places are the files' from now on.
    for (let i = 0; i < 2; i++) concurrency.release(8 * MiB, true);
    for (let i = 0; i < 3; i++) {
      await Promise.resolve();
      concurrency.release(10_240, true);
    }
    await Promise.resolve();
    expect(inside.slice(6)).toEqual(Array(5).fill('file'));
    // Without small ones the parts have all places.
    for (let i = 0; i < 2; i++) concurrency.release(10_240, true);
    await Promise.resolve();
    expect(inside.slice(11)).toEqual(['part', 'part']);
  });

  it('gives a single place to small and large requests in turns', async () => {
    const concurrency = new AdaptiveConcurrency({ fixed: 1 });
    const inside: string[] = [];
    const ask = async (name: string, weight: number): Promise<void> => {
      await concurrency.acquire(never, weight);
      inside.push(name);
      concurrency.release(weight, true);
    };
    await Promise.all([
      ...Array.from({ length: 4 }, () => ask('file', 10_240)),
      ...Array.from({ length: 2 }, () => ask('part', 8 * MiB)),
    ]);
    expect(inside).toEqual(['file', 'part', 'file', 'part', 'file', 'file']);
  });

  it('stays where it is told to', () => {
    const concurrency = new AdaptiveConcurrency({ fixed: 3 });
    concurrency.backOff();
    expect(concurrency.limit).toBe(3);
  });
});

describe('names', () => {
  it('sort as stores sort', () => {
    const names = ['a', 'a-b', 'a/b', 'a0', '\uFF5E', '\u{1F600}', 'caf\u00E9', 'cafe\u0301', 'B', '', 'a\u0000'];
    const bytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect([...names].sort(compareKeys)).toEqual(bytes);
  });

  it('never become a path that climbs', () => {
    for (const key of ['..', '../a', 'a/../b', 'a/..', './a', '/a', 'a//b', '', 'a\0b'])
      expect(localPath(key)).toHaveProperty('problem');
    for (const key of ['...', 'a..b', '.hidden', 'a/b ', 'a\\..\\b']) expect(localPath(key)).toEqual({ path: key });
    for (const path of ['a:b', 'con', 'COM1.txt', 'x/nul', 'dot.', 'a\\..\\b', 'q?']) expect(windowsProblem(path)).toBeDefined();
    expect(windowsProblem('fine/console.txt')).toBeUndefined();
  });

  it('are encoded byte by byte, and refused when no store could give them back', () => {
    expect(encodeKey("a b/\u00E9!'()*+&~.txt")).toBe('a%20b/%C3%A9%21%27%28%29%2A%2B%26~.txt');
    expect(keyProblem('\u{1F600}'.repeat(256))).toBeUndefined();
    expect(keyProblem(`${'\u{1F600}'.repeat(256)}x`)).toContain('1024');
    expect(keyProblem('a\uD800')).toContain('Unicode');
  });
});

describe('times', () => {
  it('are written as rclone writes them, to the nanosecond', () => {
    // rclone and we; short; s3fs, whose decimals have digits of octals; folders, links, and what is none.
    const modes = [
      '0100644',
      '100600',
      '755',
      '33152',
      '33206',
      '33188',
      '040755',
      '16877',
      '0120777',
      '41471',
      '488',
      '9',
      '',
      'rw',
    ];
    const told = [0o644, 0o600, 0o755, 0o600, 0o666, 0o644, ...Array.from({ length: 8 }, () => undefined)];
    expect(modes.map((text) => parseMode(text)).map((mode) => mode && mode & 0o777)).toEqual(told);
    expect(formatMtime(1_700_000_000_123_456_789n)).toBe('1700000000.123456789');
    for (const ns of [0n, 1n, -1_500_000_000n, 1_700_000_000_000_000_001n]) expect(parseMtime(formatMtime(ns))).toBe(ns);
    expect(parseMtime('1700000000.5')).toBe(1_700_000_000_500_000_000n);
    expect([parseMtime('x'), parseMtime(undefined), parseMtime('1e9')]).toEqual([undefined, undefined, undefined]);
    expect(sameTime(1_000n, 2_500n)).toBe(true);
    expect(sameTime(1_000n, 9_000n)).toBe(false);
  });
});

describe('AWS configuration', () => {
  it('is read with its nested settings', () => {
    const ini = parseIni(
      '[default]\nregion = eu-1\n# note\n[profile ops]\r\ns3 =\r\n  addressing_style = path\nregion=us-1\n[services x]\ns3 = \n  endpoint_url = http://h:1\n',
    );
    expect(ini.get('default')).toEqual({ region: 'eu-1' });
    expect(ini.get('ops')).toEqual({ s3: '', 's3.addressing_style': 'path', region: 'us-1' });
    expect(ini.get('services x')).toEqual({ s3: '', 's3.endpoint_url': 'http://h:1' });
  });
});

describe('signatures', () => {
  class NodeSha256 {
    readonly #hash;
    constructor(secret?: string | Uint8Array) {
      this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
    }
    update(data: string | Uint8Array) {
      this.#hash.update(data);
    }
    digest() {
      return Promise.resolve(new Uint8Array(this.#hash.digest()));
    }
  }

  it('are those of the SDK', async () => {
    const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' };
    const sdk = new SignatureV4({
      service: 's3',
      region: 'eu-1',
      credentials,
      sha256: NodeSha256 as never,
      uriEscapePath: false,
    });
    const signer = new Signer('eu-1', portableDigests.sha256Hex);
    for (const day of [0, 0, 1]) {
      const now = Date.UTC(2026, 10, 21 + day, 23, 59, 59);
      const headers: Record<string, string> = { host: 'b.example', 'x-amz-meta-a': 'two  spaces', 'content-type': 'text/plain' };
      const path = `/b/${encodeKey("k \u00E9!'()*")}`;
      signer.sign({ method: 'PUT', path, query: 'partNumber=1&uploadId=x%2Fy', headers }, credentials, 'UNSIGNED-PAYLOAD', now);
      const { authorization, 'x-amz-date': _, 'x-amz-security-token': __, ...given } = headers;
      const signed = (await sdk.sign(
        {
          method: 'PUT',
          protocol: 'https:',
          hostname: 'b.example',
          path,
          query: { partNumber: '1', uploadId: 'x/y' },
          headers: given,
        } as never,
        { signingDate: new Date(now) },
      )) as unknown as { headers: Record<string, string> };
      expect(authorization).toBe(signed.headers['authorization']);
    }
  });
});

describe('answers', () => {
  const parse = (text: string, step: number, method = 'GET') => {
    const seen = { status: 0, headers: {} as Record<string, string>, body: '', ends: [] as boolean[] };
    const parser = new ResponseParser({
      onHead: (status, headers) => Object.assign(seen, { status, headers }),
      onBody: (piece) => (seen.body += Buffer.from(piece).toString('latin1')),
      onEnd: (reusable) => seen.ends.push(reusable),
    });
    parser.expect(method);
    const bytes = Buffer.from(text, 'latin1');
    for (let at = 0; at < bytes.length && seen.ends.length === 0; at += step) parser.feed(bytes.subarray(at, at + step));
    return { ...seen, closedWell: parser.closed() };
  };

  it('are read however they are cut', () => {
    const chunked =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: "x"\r\nX: 1\r\nX: 2\r\n\r\n5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: y\r\n\r\n';
    const fixed = 'HTTP/1.1 206 Partial\r\nContent-Length: 11\r\nConnection: close\r\n\r\nhello world';
    for (const step of [1, 2, 3, 7, 1000]) {
      expect(parse(chunked, step)).toMatchObject({
        status: 200,
        body: 'hello world',
        headers: { etag: '"x"', x: '1, 2' },
        ends: [true],
      });
      expect(parse(fixed, step)).toMatchObject({ status: 206, body: 'hello world', ends: [false] });
      expect(parse('HTTP/1.0 200 OK\r\n\r\nto the end', step)).toMatchObject({
        body: 'to the end',
        ends: [false],
        closedWell: true,
      });
    }
    expect(parse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 100, 'HEAD')).toMatchObject({ body: '', ends: [true] });
    expect(parse('HTTP/1.1 204 None\r\n\r\n', 100)).toMatchObject({ ends: [true] });
    expect(parse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell', 100)).toMatchObject({ ends: [], closedWell: false });
  });

  it('that are no HTTP are refused', () => {
    for (const text of [
      'SSH-2.0-x\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ])
      expect(() => parse(text, 1000)).toThrow(/server sent/);
  });
});

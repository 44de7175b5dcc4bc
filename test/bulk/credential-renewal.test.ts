import { expect, it } from 'vitest';
import { S3Error } from '../../src/bulk/errors.js';
import { createBulkTransfer } from '../../src/bulk/node/index.js';
import type { Credentials } from '../../src/bulk/types.js';
import type { HttpClient } from '../../src/bulk/http/http-client.js';

const MINUTE = 60_000;

/** A store whose keys live ten minutes from the start, by a clock that is turned by hand, and whose provider can fail. */
function renewed() {
  const at = { now: 0, asked: 0, fails: undefined as Error | undefined };
  const credentials = async (): Promise<Credentials> => {
    at.asked++;
    if (at.fails) throw at.fails;
    return { accessKeyId: `key-${at.asked}`, secretAccessKey: 'secret', expiration: new Date(at.now + 10 * MINUTE) };
  };
  const { store } = createBulkTransfer({ endpoint: 'http://localhost:1', credentials, now: () => at.now });
  return { at, key: async () => (await store.credentials()).accessKeyId };
}

it('goes on with keys that still live when their renewal fails, and soon asks again', async () => {
  const { at, key } = renewed();
  expect(await key()).toBe('key-1');
  at.now = 6 * MINUTE;
  at.fails = new Error('502');
  expect(await key()).toBe('key-1');
  expect(await key()).toBe('key-1');
  expect(at.asked, 'not once for every request').toBe(2);
  at.now += MINUTE;
  at.fails = undefined;
  expect(await key()).toBe('key-3');
});

it('asks once for the keys of an hour on a machine whose clock is two hours ahead', async () => {
  let asked = 0;
  const credentials = async (): Promise<Credentials> => {
    asked++;
    return { accessKeyId: 'key', secretAccessKey: 'secret', expiration: new Date(Date.now() + 60 * MINUTE) };
  };
  const body = new TextEncoder().encode('<Error><Code>RequestTimeTooSkewed</Code></Error>');
  const wire: HttpClient = {
    async send({ headers }) {
      const signedAt = Date.parse(headers['x-amz-date']!.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
      const isOfNow = Math.abs(signedAt - Date.now()) < 15 * MINUTE;
      return {
        status: isOfNow ? 200 : 403,
        headers: { date: new Date().toUTCString() },
        body: isOfNow ? new Uint8Array(0) : body,
      };
    },
    close() {},
  };
  const now = () => Date.now() + 120 * MINUTE;
  const { store } = createBulkTransfer({ endpoint: 'http://localhost:1', credentials, now, wire });
  const ask = () => store.send({ method: 'GET', bucket: 'bucket', signal: new AbortController().signal });
  await expect(ask()).rejects.toMatchObject({ again: true });
  asked = 0;
  for (let i = 0; i < 5; i++) await ask();
  expect(asked).toBeLessThanOrEqual(1);
});

/** A store that refuses clocks which differ from its own by a quarter of an hour, with so much in its answer. */
function strict(told: string): { wire: HttpClient; asked: () => number } {
  let asked = 0;
  const body = (xml: string): Uint8Array => new TextEncoder().encode(xml);
  const refusal = body(`<Error><Code>RequestTimeTooSkewed</Code><Message>Skewed.</Message>${told}</Error>`);
  const wire: HttpClient = {
    async send({ headers }) {
      asked++;
      const signedAt = Date.parse(headers['x-amz-date']!.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
      if (Math.abs(signedAt - Date.now()) > 15 * MINUTE) return { status: 403, headers: {}, body: refusal };
      return { status: 200, headers: {}, body: body('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>') };
    },
    close() {},
  };
  return { wire, asked: () => asked };
}
const pair = { accessKeyId: 'key', secretAccessKey: 'secret' };

it('learns the time from the body of a refusal, as a page does that sees no header of it', async () => {
  const { wire, asked } = strict(`<ServerTime>${new Date().toISOString()}</ServerTime>`);
  const now = () => Date.now() - 180 * MINUTE;
  const bulk = createBulkTransfer({ endpoint: 'http://localhost:1', credentials: pair, now, wire });
  expect(await bulk.list({ bucket: 'bucket', prefix: '' }).next()).toMatchObject({ done: true });
  expect(asked()).toBe(2);
});

it('ends a run whose clock is refused by a store that tells no time', async () => {
  const { wire, asked } = strict('');
  const now = () => Date.now() - 180 * MINUTE;
  const bulk = createBulkTransfer({ endpoint: 'http://localhost:1', credentials: pair, now, wire });
  await expect(bulk.list({ bucket: 'bucket', prefix: '' }).next()).rejects.toMatchObject({ code: 'RequestTimeTooSkewed' });
  expect(asked()).toBe(1);
  const stream = (path: string) => ({ path, size: null, stream: async function* () {} });
  const files = Array.from({ length: 50 }, (_, at) => stream(`f${at}`));
  const summary = await bulk.upload(files, { bucket: 'bucket', prefix: '' }, { concurrency: 1 });
  expect(summary).toMatchObject({ ended: 'RequestTimeTooSkewed', failed: 1 });
  expect(summary.failures).toMatchObject([{ advice: expect.stringContaining('clock') }]);
});

it('keeps keys that live a minute for half of it, instead of asking with every request', async () => {
  const at = { now: 0, asked: 0 };
  const credentials = async (): Promise<Credentials> => {
    at.asked++;
    return { accessKeyId: 'key', secretAccessKey: 'secret', expiration: new Date(at.now + MINUTE) };
  };
  const { store } = createBulkTransfer({ endpoint: 'http://localhost:1', credentials, now: () => at.now });
  for (at.now of [0, 10_000, 29_000]) await store.credentials();
  expect(at.asked).toBe(1);
  at.now = 31_000;
  await store.credentials();
  expect(at.asked).toBe(2);
});

it('tells a server that is not reached from one that gives no keys', async () => {
  const { at, key } = renewed();
  await key();
  at.now = 10 * MINUTE;
  at.fails = new TypeError('fetch failed');
  await expect(key()).rejects.toMatchObject({ name: 'S3Error', code: 'ConnectionFailed', cause: at.fails });
  at.fails = new Error('signed out');
  await expect(key()).rejects.toMatchObject({ code: 'CredentialsMissing', message: 'signed out' });
  at.fails = new S3Error('AccessDenied', 'no');
  await expect(key()).rejects.toBe(at.fails);
});

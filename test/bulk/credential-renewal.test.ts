import { describe, expect, it } from 'vitest';
import { S3Error } from '../../src/bulk/errors.js';
import { createBulkTransfer } from '../../src/bulk/node/index.js';
import type { Credentials } from '../../src/bulk/types.js';
import type { HttpClient } from '../../src/bulk/http/http-client.js';

const MINUTE = 60_000;

/** Creates a store client whose credentials expire after ten minutes. The test moves the clock and lets the provider fail. */
function createRenewingStore() {
  const state = { now: 0, calls: 0, error: undefined as Error | undefined };
  const credentials = async (): Promise<Credentials> => {
    state.calls++;
    if (state.error) throw state.error;
    return { accessKeyId: `key-${state.calls}`, secretAccessKey: 'secret', expiration: new Date(state.now + 10 * MINUTE) };
  };
  const { store } = createBulkTransfer({ endpoint: 'http://localhost:1', credentials, now: () => state.now });
  return { state, key: async () => (await store.credentials()).accessKeyId };
}

/** Creates an HTTP client for a store that refuses clocks more than 15 minutes off. The refusal contains `details`. */
function createStrictStore(details: string): { wire: HttpClient; countRequests: () => number } {
  let requests = 0;
  const body = (xml: string): Uint8Array => new TextEncoder().encode(xml);
  const refusal = body(`<Error><Code>RequestTimeTooSkewed</Code><Message>Skewed.</Message>${details}</Error>`);
  const wire: HttpClient = {
    async send({ headers }) {
      requests++;
      const signedAt = Date.parse(headers['x-amz-date']!.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
      if (Math.abs(signedAt - Date.now()) > 15 * MINUTE) return { status: 403, headers: {}, body: refusal };
      return { status: 200, headers: {}, body: body('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>') };
    },
    close() {},
  };
  return { wire, countRequests: () => requests };
}
const pair = { accessKeyId: 'key', secretAccessKey: 'secret' };

describe('credential renewal', () => {
  it('keeps valid credentials if the renewal fails, and tries again soon', async () => {
    const { state, key } = createRenewingStore();
    expect(await key()).toBe('key-1');
    state.now = 6 * MINUTE;
    state.error = new Error('502');
    expect(await key()).toBe('key-1');
    expect(await key()).toBe('key-1');
    expect(state.calls, 'calls of the provider').toBe(2);
    state.now += MINUTE;
    state.error = undefined;
    expect(await key()).toBe('key-3');
  });

  it('asks for hourly credentials once if the clock is two hours ahead', async () => {
    let calls = 0;
    const credentials = async (): Promise<Credentials> => {
      calls++;
      return { accessKeyId: 'key', secretAccessKey: 'secret', expiration: new Date(Date.now() + 60 * MINUTE) };
    };
    const body = new TextEncoder().encode('<Error><Code>RequestTimeTooSkewed</Code></Error>');
    const wire: HttpClient = {
      async send({ headers }) {
        const signedAt = Date.parse(headers['x-amz-date']!.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
        const isCurrent = Math.abs(signedAt - Date.now()) < 15 * MINUTE;
        return {
          status: isCurrent ? 200 : 403,
          headers: { date: new Date().toUTCString() },
          body: isCurrent ? new Uint8Array(0) : body,
        };
      },
      close() {},
    };
    const now = () => Date.now() + 120 * MINUTE;
    const { store } = createBulkTransfer({ endpoint: 'http://localhost:1', credentials, now, wire });
    const request = () => store.send({ method: 'GET', bucket: 'bucket', signal: new AbortController().signal });
    await expect(request()).rejects.toMatchObject({ again: true });
    calls = 0;
    for (let i = 0; i < 5; i++) await request();
    expect(calls).toBeLessThanOrEqual(1);
  });

  it('learns the time from the body of a refusal, since a page cannot read its date header', async () => {
    const { wire, countRequests } = createStrictStore(`<ServerTime>${new Date().toISOString()}</ServerTime>`);
    const now = () => Date.now() - 180 * MINUTE;
    const bulk = createBulkTransfer({ endpoint: 'http://localhost:1', credentials: pair, now, wire });
    expect(await bulk.list({ bucket: 'bucket', prefix: '' }).next()).toMatchObject({ done: true });
    expect(countRequests()).toBe(2);
  });

  it('ends the transfer if the store refuses the clock without returning its time', async () => {
    const { wire, countRequests } = createStrictStore('');
    const now = () => Date.now() - 180 * MINUTE;
    const bulk = createBulkTransfer({ endpoint: 'http://localhost:1', credentials: pair, now, wire });
    await expect(bulk.list({ bucket: 'bucket', prefix: '' }).next()).rejects.toMatchObject({ code: 'RequestTimeTooSkewed' });
    expect(countRequests()).toBe(1);
    const stream = (path: string) => ({ path, size: null, stream: async function* () {} });
    const files = Array.from({ length: 50 }, (_, index) => stream(`f${index}`));
    const summary = await bulk.upload(files, { bucket: 'bucket', prefix: '' }, { concurrency: 1 });
    expect(summary).toMatchObject({ ended: 'RequestTimeTooSkewed', failed: 1 });
    expect(summary.failures).toMatchObject([{ advice: expect.stringContaining('clock') }]);
  });

  it('keeps credentials of one minute for half a minute', async () => {
    const state = { now: 0, calls: 0 };
    const credentials = async (): Promise<Credentials> => {
      state.calls++;
      return { accessKeyId: 'key', secretAccessKey: 'secret', expiration: new Date(state.now + MINUTE) };
    };
    const { store } = createBulkTransfer({ endpoint: 'http://localhost:1', credentials, now: () => state.now });
    for (state.now of [0, 10_000, 29_000]) await store.credentials();
    expect(state.calls).toBe(1);
    state.now = 31_000;
    await store.credentials();
    expect(state.calls).toBe(2);
  });

  it('distinguishes an unreachable provider from one that returns no credentials', async () => {
    const { state, key } = createRenewingStore();
    await key();
    state.now = 10 * MINUTE;
    state.error = new TypeError('fetch failed');
    await expect(key()).rejects.toMatchObject({ name: 'S3Error', code: 'ConnectionFailed', cause: state.error });
    state.error = new Error('signed out');
    await expect(key()).rejects.toMatchObject({ code: 'CredentialsMissing', message: 'signed out' });
    state.error = new S3Error('AccessDenied', 'no');
    await expect(key()).rejects.toBe(state.error);
  });
});

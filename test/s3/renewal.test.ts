import { expect, it } from 'vitest';
import { S3Error } from '../../src/s3/errors.js';
import { createBulkTransfer } from '../../src/s3/node/index.js';
import type { Credentials } from '../../src/s3/types.js';

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

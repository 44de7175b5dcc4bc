import { describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { listObjects, createBucket, createTransfer, createFolder, s3, writeFiles } from './s3-store.js';

function createFilledFolder(files: Record<string, string>): string {
  const folder = createFolder();
  writeFiles(folder, files);
  return folder;
}

describe('BulkTransfer.delete', () => {
  const unlistable = ['o\u0001dd', 'o\u000bdd', 'o\uFFFEdd'];
  const keys = ['a', 'b\nc', 'd\r', 'e\tf', '<&>"', '\u007f', ...unlistable];
  const storeKeys = async (bulk: BulkTransfer) => {
    const bucket = await createBucket();
    const files = keys.map((path) => ({ path, size: 0, open: () => EMPTY_READER }));
    expect(await bulk.upload(files, { bucket, prefix: '' })).toMatchObject({ files: keys.length, failed: 0 });
    return bucket;
  };
  const EMPTY_READER = { size: 0, read: () => 0, changed: () => false, close: () => {} };

  it('deletes keys that XML cannot contain', async () => {
    const bulk = createTransfer();
    const bucket = await storeKeys(bulk);
    expect(await bulk.delete({ bucket, prefix: '' })).toMatchObject({ deleted: keys.length, failed: 0 });
    expect(await listObjects(bulk, bucket)).toEqual([]);
  });

  it('deletes key by key if the store lacks multi-object delete', async () => {
    const bucket = await storeKeys(createTransfer());
    await using proxy = await startFaultProxy(s3.endpoint);
    proxy.on({ method: 'POST', path: /\?delete/, fault: { respond: { status: 501 } } });
    proxy.on({ method: 'DELETE', path: /\/a$/, fault: { respond: { status: 403 } } });
    const summary = await createTransfer({ endpoint: proxy.url }).delete({ bucket, prefix: '' });
    expect(summary).toMatchObject({ deleted: keys.length - 1, failed: 1, failures: [{ name: 'a', code: 'AccessDenied' }] });
  });

  it('retries only the keys with a temporary error in a 200 response', async () => {
    const bucket = await storeKeys(createTransfer());
    await using proxy = await startFaultProxy(s3.endpoint);
    const error = (key: string, code: string) => `<Error><Key>${key}</Key><Code>${code}</Code><Message>no</Message></Error>`;
    const responses = [error('a', 'InternalError') + error('e\tf', 'AccessDenied'), error('a', 'SlowDown')];
    const response = { body: () => Buffer.from(`<DeleteResult>${responses.shift()}</DeleteResult>`) };
    proxy.on({ method: 'POST', path: /\?delete/, times: 2, fault: { response } });
    const bulk = createTransfer({ endpoint: proxy.url });
    const summary = await bulk.delete({ bucket, prefix: '' }, { retry: { baseDelay: 1 } });
    expect(summary).toMatchObject({ deleted: keys.length - 1, retries: 2, failures: [{ name: 'e\tf', code: 'AccessDenied' }] });
  });

  it.each(['', '<Key>another</Key>'])('counts no key as deleted if an error names no requested key: "%s"', async (key) => {
    const bucket = await storeKeys(createTransfer());
    await using proxy = await startFaultProxy(s3.endpoint);
    const body = `<DeleteResult><Error>${key}<Code>AccessDenied</Code><Message>no</Message></Error></DeleteResult>`;
    proxy.on({ method: 'POST', path: /\?delete/, fault: { response: { body: () => Buffer.from(body) } } });
    const summary = await createTransfer({ endpoint: proxy.url }).delete({ bucket, prefix: '' });
    expect(summary).toMatchObject({ deleted: unlistable.length, failed: keys.length - unlistable.length });
    expect(summary.failures[0]).toMatchObject({ code: 'UnexpectedAnswer', message: expect.stringContaining('AccessDenied: no') });
  });
});

describe('an upload with onlyNew', () => {
  it('is retried after ConditionalRequestConflict', async () => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const body = '<Error><Code>ConditionalRequestConflict</Code></Error>';
    proxy.on({ method: 'PUT', times: 1, fault: { respond: { status: 409, body } } });
    const place = { bucket: await createBucket(), prefix: '' };
    const summary = await createTransfer({ endpoint: proxy.url }).upload(walk(createFilledFolder({ a: 'a' })), place, {
      onlyNew: true,
    });
    expect(summary).toMatchObject({ files: 1, failed: 0, retries: 1 });
  });
});

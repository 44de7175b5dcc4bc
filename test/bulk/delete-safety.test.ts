import type { SyncOptions } from '../../src/bulk/sync/sync-options.js';
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer, Summary } from '../../src/bulk/node/index.js';
import { compareKeys } from '../../src/bulk/s3/object-keys.js';
import type { TransferEvent } from '../../src/bulk/types.js';
import { runCommand } from '../cli/run-command.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import {
  listObjects,
  createBucket,
  createTransfer,
  createFolder,
  s3,
  s3Environment,
  createSortedSource,
  writeFiles,
} from './s3-store.js';

function createFilledFolder(files: Record<string, string>): string {
  const folder = createFolder();
  writeFiles(folder, files);
  return folder;
}

const { isOwn } = s3;

describe('sync --delete', () => {
  let proxy: FaultProxy;
  let bulk: BulkTransfer;
  let bucket: string;
  beforeEach(async () => {
    proxy = await startFaultProxy(s3.endpoint);
    bulk = createTransfer({ endpoint: proxy.url });
    bucket = await createBucket();
  });
  afterEach(() => proxy.close());
  const keys = async (prefix = '') => (await listObjects(createTransfer(), bucket, prefix)).map(({ key }) => key);
  const notDeleted = { deleted: 0, failed: 2, failures: [{}, { action: 'delete', code: 'NotDeleted' }] };

  it('keeps the object of a renamed file if the new object could not be stored', async () => {
    const folder = createFilledFolder({ a: 'precious' });
    const to = { bucket, prefix: 'p/' };
    await bulk.syncUp(createSortedSource(folder), to);
    renameSync(join(folder, 'a'), join(folder, 'b'));
    const refused = proxy.on({ method: 'PUT', fault: { respond: { status: 507 } } });
    for (const dryRun of [false, true]) {
      const summary = await bulk.syncUp(createSortedSource(folder), to, { delete: true, dryRun, retry: { tries: 1 } });
      expect(summary).toMatchObject(dryRun ? { files: 1, deleted: 1, failed: 0 } : notDeleted);
      expect(await keys()).toEqual(['p/a']);
    }
    refused.remove();
    expect(await bulk.syncUp(createSortedSource(folder), to, { delete: true })).toMatchObject({
      files: 1,
      deleted: 1,
      failed: 0,
    });
    expect(await keys()).toEqual(['p/b']);
  });

  it('keeps the old file if the new one could not be downloaded', async () => {
    await bulk.upload(walk(createFilledFolder({ new: 'precious' })), { bucket, prefix: '' });
    const folder = createFilledFolder({ old: 'precious' });
    const down = () =>
      bulk.syncDown({ bucket, prefix: '' }, new FolderTarget(folder), createSortedSource(folder), { delete: true });
    const refused = proxy.on({ method: 'GET', path: /new/, fault: { respond: { status: 403 } } });
    expect(await down()).toMatchObject(notDeleted);
    expect(readdirSync(folder)).toEqual(['old']);
    refused.remove();
    expect(await down()).toMatchObject({ files: 1, deleted: 1, failed: 0 });
    expect(readdirSync(folder)).toEqual(['new']);
  });

  it('keeps the old copy if the new one could not be created', async () => {
    await bulk.upload(walk(createFilledFolder({ new: 'precious' })), { bucket, prefix: 'from/' });
    await bulk.upload(walk(createFilledFolder({ old: 'precious' })), { bucket, prefix: 'to/' });
    const within = () => bulk.syncWithin({ bucket, prefix: 'from/' }, { bucket, prefix: 'to/' }, { delete: true });
    const refused = proxy.on({ method: 'PUT', fault: { respond: { status: 403 } } });
    expect(await within()).toMatchObject(notDeleted);
    expect(await keys('to/')).toEqual(['to/old']);
    refused.remove();
    expect(await within()).toMatchObject({ files: 1, deleted: 1, failed: 0 });
    expect(await keys('to/')).toEqual(['to/new']);
  });

  it('refuses to delete if the source is empty, unless maxDelete allows it', async () => {
    const [full, empty] = [createFilledFolder({ a: '1', b: '2' }), createFolder()];
    await bulk.upload(walk(full), { bucket, prefix: 'p/' });
    const [target, typo] = [
      { bucket, prefix: 'p/' },
      { bucket, prefix: 'typo/' },
    ];
    const directions: ((options: SyncOptions) => Promise<Summary>)[] = [
      (options) => bulk.syncUp(createSortedSource(empty), target, options),
      (options) => bulk.syncDown(typo, new FolderTarget(full), createSortedSource(full), options),
      (options) => bulk.syncWithin(typo, target, options),
    ];
    const tooMuch = { deleted: 0, failed: 1, failures: [{ code: 'TooMuchToDelete' }] };
    for (const sync of directions) {
      expect(await sync({})).toMatchObject({ deleted: 0, failed: 0 });
      for (const options of [{}, { maxDelete: 1 }, { dryRun: true }])
        expect(await sync({ delete: true, ...options })).toMatchObject(tooMuch);
      expect(await sync({ delete: true, maxDelete: 2, dryRun: true })).toMatchObject({ deleted: 2, failed: 0 });
    }
    expect(await keys()).toEqual(['p/a', 'p/b']);
    expect(readdirSync(full)).toEqual(['a', 'b']);
    rmSync(join(full, 'b'));
    expect(await bulk.syncUp(createSortedSource(full), target, { delete: true, maxDelete: 0 })).toMatchObject(tooMuch);
    expect(await bulk.syncUp(createSortedSource(full), target, { delete: true, maxDelete: 1 })).toMatchObject({
      deleted: 1,
      failed: 0,
    });
    expect(
      await bulk.syncDown(typo, new FolderTarget(full), createSortedSource(full), { delete: true, maxDelete: 1 }),
    ).toMatchObject({
      deleted: 1,
    });
    expect(readdirSync(full)).toEqual([]);
  });

  it('can be aborted while it deletes', async () => {
    const folder = createFilledFolder({ kept: '' });
    await bulk.upload(walk(folder), { bucket, prefix: '' });
    for (let i = 0; i < 2500; i++) writeFileSync(join(folder, `f${i}`), '');
    const stop = new AbortController();
    const onEvent = ({ type }: TransferEvent): void => void (type === 'done' && stop.abort());
    const options = { delete: true, signal: stop.signal, onEvent };
    const syncing = bulk.syncDown({ bucket, prefix: '' }, new FolderTarget(folder), createSortedSource(folder), options);
    await expect(syncing).rejects.toMatchObject({ code: 'Aborted' });
  });

  it('obeys --max-delete', async () => {
    await bulk.upload(walk(createFilledFolder({ a: '1' })), { bucket, prefix: '' });
    const sync = (...more: string[]) =>
      runCommand(['sync', createFolder(), `s3://${bucket}`, '--no-resume', ...more], s3Environment());
    const [refused, misused] = await Promise.all([sync('--delete'), sync('--max-delete', '1')]);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/TooMuchToDelete: [^]*--max-delete/) });
    expect(misused).toMatchObject({ status: 2 });
    expect(await keys()).toEqual(['a']);
    expect(await sync('--delete', '--max-delete', '1')).toMatchObject({ status: 0, stderr: 'deleted 1 file\n' });
  }, 60_000);

  it('refuses a source that is an object', async () => {
    const folder = createFilledFolder({ one: '1' });
    await bulk.upload(walk(folder), { bucket, prefix: '' });
    const from = { bucket, prefix: 'one/' };
    const wrong = { code: 'InvalidOption', message: 'one is an object, and nothing lies below it.' };
    await expect(
      bulk.syncDown(from, new FolderTarget(folder), createSortedSource(folder), { delete: true }),
    ).rejects.toMatchObject(wrong);
    await expect(bulk.syncWithin(from, { bucket, prefix: 'to/' }, {})).rejects.toMatchObject(wrong);
    expect(readdirSync(folder)).toEqual(['one']);
  });
});

describe('a wrong listing', () => {
  let proxy: FaultProxy;
  let bulk: BulkTransfer;
  let bucket: string;
  const files = Object.fromEntries(['a', 'b', 'c', 'd/e', '\u{1F600}', '\uFF5E'].map((name) => [name, name]));
  const count = Object.keys(files).length;
  beforeEach(async () => {
    proxy = await startFaultProxy(s3.endpoint);
    bulk = createTransfer({ endpoint: proxy.url });
    bucket = await createBucket();
  });
  afterEach(() => proxy.close());
  /** Changes every listing after the first `skip`. */
  const changeListings = (change: (xml: string) => string, skip = 0) =>
    proxy.on({
      method: 'GET',
      path: /list-type=2/,
      skip,
      fault: { response: { body: (original) => Buffer.from(change(original.toString())) } },
    });
  const allEntries = /<Contents>[^]*<\/Contents>/;
  const splitEntries = (xml: string) => xml.match(/<Contents>[^]*?<\/Contents>/g) ?? [];
  const claimMorePages = (xml: string) =>
    xml.replace(
      /<IsTruncated>false<\/IsTruncated>/,
      '<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>',
    );

  const wrong: [string, (xml: string) => string][] = [
    ['out of order', (xml) => xml.replace(allEntries, splitEntries(xml).toReversed().join(''))],
    ['with a repeated key', (xml) => xml.replace(allEntries, (all) => all + splitEntries(xml).at(-1)!)],
    ['of another prefix', (xml) => xml.replace(allEntries, (all) => all.replaceAll('<Key>p', '<Key>q'))],
  ];
  // This product's endpoint rejects a token that it did not issue.
  if (!isOwn) wrong.push(['with endless equal pages', claimMorePages]);
  it.each(wrong)('%s deletes no file and no object', async (_, change) => {
    const [folder, target] = [createFilledFolder(files), createFilledFolder({ ...files, extra: 'x' })];
    const place = { bucket, prefix: 'p/' };
    await bulk.syncUp(createSortedSource(folder), place);
    changeListings(change);
    const options = { delete: true };
    await expect(bulk.syncUp(createSortedSource(folder), place, options)).rejects.toMatchObject({ code: 'ListingBroken' });
    await expect(bulk.syncDown(place, new FolderTarget(target), createSortedSource(target), options)).rejects.toMatchObject({
      code: 'ListingBroken',
    });
    await expect(bulk.syncWithin(place, { bucket, prefix: 'r/' }, options)).rejects.toMatchObject({ code: 'ListingBroken' });
    await expect(bulk.verify(createSortedSource(folder), place)).rejects.toMatchObject({ code: 'ListingBroken' });
    // A list of paths would miss entries that arrive in the wrong order.
    const paths = () => Object.keys(files).toSorted(compareKeys);
    const named = () => [...walk(target, { sorted: true })].filter(({ path }) => path in files);
    await expect(bulk.syncDown(place, new FolderTarget(target), named, { ...options, paths })).rejects.toMatchObject({
      code: 'ListingBroken',
    });
    expect(await listObjects(createTransfer(), bucket, 'p/')).toHaveLength(count);
    expect([...walk(target)]).toHaveLength(count + 1);
  });

  it.skipIf(isOwn)('with a loop of pages of any length ends the transfer', async () => {
    await bulk.upload(walk(createFilledFolder(files)), { bucket, prefix: '' });
    for (const pages of [1, 2, 7]) {
      let page = 0;
      const rule = changeListings((xml) => claimMorePages(xml).replace('again', `page ${page++ % pages}`));
      await expect(listObjects(bulk, bucket)).rejects.toMatchObject({ code: 'ListingBroken' });
      await expect(bulk.download({ bucket, prefix: '' }, new FolderTarget(createFolder()))).rejects.toMatchObject({
        code: 'ListingBroken',
      });
      expect(rule.hits).toBeLessThan(60);
      rule.remove();
    }
  });

  it('that ignores the prefix deletes nothing outside it', async () => {
    await bulk.upload(walk(createFilledFolder(files)), { bucket, prefix: 'mine/' });
    await bulk.upload(walk(createFilledFolder(files)), { bucket, prefix: 'theirs/' });
    changeListings((xml) => xml.replaceAll('<Key>mine', '<Key>theirs'));
    await expect(bulk.delete({ bucket, prefix: 'mine/' })).rejects.toMatchObject({ code: 'ListingBroken' });
    expect(await listObjects(createTransfer(), bucket)).toHaveLength(2 * count);
  });

  it('out of order is accepted by download and delete', async () => {
    const folder = createFilledFolder(files);
    await bulk.upload(walk(folder), { bucket, prefix: '' });
    changeListings((xml) => xml.replace(allEntries, splitEntries(xml).toReversed().join('')));
    expect(await bulk.download({ bucket, prefix: '' }, new FolderTarget(createFolder()))).toMatchObject({ files: count });
    expect(await bulk.delete({ bucket, prefix: '' })).toMatchObject({ deleted: count });
  });

  it('of local files out of order is refused', async () => {
    const folder = createFilledFolder(files);
    const backwards = () => [...walk(folder, { sorted: true })].toReversed();
    await expect(bulk.syncUp(backwards, { bucket, prefix: '' }, { delete: true })).rejects.toMatchObject({
      code: 'ListingBroken',
    });
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

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer } from '../../src/bulk/node/index.js';
import { compareKeys } from '../../src/bulk/s3/object-keys.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import { listObjects, createBucket, createTransfer, createFolder, s3, createSortedSource, writeFiles } from './s3-store.js';

function createFilledFolder(files: Record<string, string>): string {
  const folder = createFolder();
  writeFiles(folder, files);
  return folder;
}

const XML = { 'content-type': 'application/xml' };

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
  /** Changes the response to every listing. */
  const changeListings = (change: (xml: string) => string) =>
    proxy.on({
      method: 'GET',
      path: /list-type=2/,
      fault: { response: { body: (original) => Buffer.from(change(original.toString())) } },
    });
  const allEntries = /<Contents>[^]*<\/Contents>/;
  const splitEntries = (xml: string) => xml.match(/<Contents>[^]*?<\/Contents>/g) ?? [];
  /** Sends the first page of a listing again and again. The store may reject these tokens, so the proxy responds itself. */
  const repeatFirstPage = (nextToken: () => string) => {
    const firstPages = new Map<string | null, string>();
    const addToken = (xml: string) => {
      const truncated = `<IsTruncated>true</IsTruncated><NextContinuationToken>${nextToken()}</NextContinuationToken>`;
      return Buffer.from(xml.replace('<IsTruncated>false</IsTruncated>', truncated));
    };
    return proxy.on({
      method: 'GET',
      path: /list-type=2/,
      fault({ path }) {
        const { searchParams } = new URL(path, s3.endpoint);
        const prefix = searchParams.get('prefix');
        if (searchParams.has('continuation-token'))
          return { respond: { status: 200, headers: XML, body: addToken(firstPages.get(prefix)!) } };
        const body = (original: Buffer) => {
          firstPages.set(prefix, original.toString());
          return addToken(original.toString());
        };
        return { response: { body } };
      },
    });
  };

  const cases: [string, () => void][] = [
    ['out of order', () => changeListings((xml) => xml.replace(allEntries, splitEntries(xml).toReversed().join('')))],
    ['with a repeated key', () => changeListings((xml) => xml.replace(allEntries, (all) => all + splitEntries(xml).at(-1)!))],
    ['of another prefix', () => changeListings((xml) => xml.replace(allEntries, (all) => all.replaceAll('<Key>p', '<Key>q')))],
    ['with endless equal pages', () => repeatFirstPage(() => 'again')],
  ];
  it.each(cases)('%s deletes no file and no object', async (_, breakListings) => {
    const [folder, target] = [createFilledFolder(files), createFilledFolder({ ...files, extra: 'x' })];
    const place = { bucket, prefix: 'p/' };
    await bulk.syncUp(createSortedSource(folder), place);
    breakListings();
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

  it('with a loop of pages of any length ends the transfer', async () => {
    await bulk.upload(walk(createFilledFolder(files)), { bucket, prefix: '' });
    for (const pages of [1, 2, 7]) {
      let page = 0;
      const rule = repeatFirstPage(() => `page ${page++ % pages}`);
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

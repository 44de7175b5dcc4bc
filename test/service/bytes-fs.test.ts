import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { BytesDriver } from '../../server/service/drivers/bytes/driver.js';
import { openFsBytes } from '../../server/service/drivers/bytes/fs.js';
import { newBlobId } from '../../server/service/runtime/ids.js';
import { bytesContract, closeAfterTest } from './bytes-contract.js';

const roots: string[] = [];

async function createFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'svc-bytes-'));
  roots.push(root);
  return root;
}

afterAll(async () => {
  for (const root of roots) await rm(root, { recursive: true, force: true });
});

bytesContract('the filesystem', async () => openFsBytes(await createFolder()));

bytesContract('the filesystem with its journal', async () => {
  const driver = await openFsBytes(await createFolder());
  await driver.recover();
  return driver;
});

/** Opens a store and closes it at the end of the test. A store that the test opened before counts as crashed. */
const openStore = async (root: string) => closeAfterTest(await openFsBytes(root));

async function* once(bytes: Uint8Array) {
  yield bytes;
}

async function textOf(driver: BytesDriver, id: string): Promise<string> {
  let text = '';
  for await (const chunk of await driver.read(id)) text += chunk;
  return text;
}

describe('small blobs after a power cut', () => {
  /** Empties all blobs, because a disk may lose bytes that were never flushed. */
  async function cutPower(root: string): Promise<void> {
    for (const entry of await readdir(join(root, 'data'), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) await truncate(join(entry.parentPath, entry.name), 0);
  }

  it('are restored from the write-ahead log', async () => {
    const root = await createFolder();
    const driver = await openStore(root);
    await driver.recover();
    const ids = Array.from({ length: 50 }, newBlobId);
    await Promise.all(ids.map((id) => driver.write(id, once(Buffer.from(`bytes of ${id}`)))));
    await cutPower(root);
    const after = await openStore(root);
    await after.recover();
    for (const id of ids) expect(await textOf(after, id)).toBe(`bytes of ${id}`);
    expect(await readdir(join(root, 'journal'))).toEqual([]);
  });

  it('are restored up to the record that was being written', async () => {
    const root = await createFolder();
    const driver = await openStore(root);
    await driver.recover();
    const [first, second] = [newBlobId(), newBlobId()];
    await driver.write(first, once(Buffer.from('first')));
    await driver.write(second, once(Buffer.from('second')));
    const [name] = await readdir(join(root, 'journal'));
    const journal = join(root, 'journal', name!);
    await truncate(journal, (await stat(journal)).size - 3);
    await cutPower(root);
    const after = await openStore(root);
    await after.recover();
    expect(await textOf(after, first)).toBe('first');
    expect(await textOf(after, second)).toBe('');
  });

  it('are restored from the write-ahead log without sync(1), as in an image with only Node', async () => {
    const path = process.env['PATH'];
    const root = await createFolder();
    process.env['PATH'] = await createFolder();
    try {
      const driver = await openStore(root);
      await driver.recover();
      const [kept, deleted] = [newBlobId(), newBlobId()];
      for (const id of [kept, deleted]) await driver.write(id, once(Buffer.from(`bytes of ${id}`)));
      await driver.delete([deleted]);
      await cutPower(root);
      const after = await openStore(root);
      await after.recover();
      expect(await textOf(after, kept)).toBe(`bytes of ${kept}`);
      const [more, gone] = [newBlobId(), newBlobId()];
      for (const id of [more, gone]) await after.write(id, once(Buffer.from('more')));
      await after.delete([gone]);
      await after.close();
      expect(await readdir(join(root, 'journal'))).toEqual([]);
      expect(await textOf(after, more)).toBe('more');
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('need no write-ahead log after the store was closed', async () => {
    const root = await createFolder();
    const driver = await openStore(root);
    await driver.recover();
    await driver.write(newBlobId(), once(Buffer.from('x')));
    await driver.close();
    expect(await readdir(join(root, 'journal'))).toEqual([]);
  });
});

it('the file system driver returns a stream that may fail before it has a listener', async () => {
  const driver = await openStore(await createFolder());
  const id = newBlobId();
  await driver.write(id, once(Buffer.from('x')));
  const stream = await driver.read(id, undefined, AbortSignal.abort());
  await new Promise<void>((resolve) => stream.once('close', resolve));
  await expect(stream.toArray()).rejects.toThrow();
});

it('the file system driver lists and deletes incomplete blobs of a crash', async () => {
  const root = await createFolder();
  const driver = await openStore(root);
  const id = newBlobId();
  await writeFile(join(root, 'temp', id), 'half');
  const found = [];
  for await (const blob of driver.list()) found.push(blob.id);
  expect(found).toEqual([id]);
  await driver.delete([id]);
  expect(await readdir(join(root, 'temp'))).toEqual([]);
});

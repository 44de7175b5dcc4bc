import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openFsBytes } from '../../server/service/bytes/fs.js';
import { newBlobId } from '../../server/service/ids.js';
import { bytesContract } from './bytes-contract.js';

const roots: string[] = [];

async function folder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'svc-bytes-'));
  roots.push(root);
  return root;
}

afterAll(async () => {
  for (const root of roots) await rm(root, { recursive: true, force: true });
});

bytesContract('the filesystem', async () => openFsBytes(await folder()));

it('lists and deletes what a crash left half written', async () => {
  const root = await folder();
  const driver = await openFsBytes(root);
  const id = newBlobId();
  await writeFile(join(root, 'temp', id), 'half');
  const found = [];
  for await (const blob of driver.list()) found.push(blob.id);
  expect(found).toEqual([id]);
  await driver.delete([id]);
  expect(await readdir(join(root, 'temp'))).toEqual([]);
});

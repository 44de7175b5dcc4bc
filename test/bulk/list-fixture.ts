import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { client, listObjects, createBucket, createTransfer, createFolder } from './s3-store.js';

export interface ListFixture {
  /** Contains the files `a`, `b`, `sub/c` and `unlisted`. Each contains its own path. */
  folder: string;
  bucket: string;
  /** The path of the list. The file does not exist yet. */
  list: string;
  /** Writes the list with one name a line. */
  writeList(...names: string[]): void;
  /** Stores objects that contain their own keys. */
  putObjects(...keys: string[]): Promise<void>;
  listKeys(prefix?: string): Promise<string[]>;
}

/** Creates what a test of `--files-from` needs: a folder with files, an empty bucket and the path of a list. */
export async function createListFixture(): Promise<ListFixture> {
  const folder = createFolder();
  mkdirSync(join(folder, 'sub'));
  for (const name of ['a', 'b', 'sub/c', 'unlisted']) writeFileSync(join(folder, name), name);
  const bucket = await createBucket();
  const list = join(createFolder(), 'list');
  return {
    folder,
    bucket,
    list,
    writeList: (...names) => writeFileSync(list, names.map((name) => `${name}\n`).join('')),
    async putObjects(...keys) {
      await Promise.all(keys.map((Key) => client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }))));
    },
    async listKeys(prefix = '') {
      return (await listObjects(createTransfer(), bucket, prefix)).map(({ key }) => key);
    },
  };
}

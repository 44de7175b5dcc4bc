import { randomBytes } from 'node:crypto';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { sourceOf } from '../../src/s3/file-sources.js';
import { DiskJournal } from '../../src/s3/node/index.js';
import type { SourceFile } from '../../src/s3/types.js';
import { client, listed, newBucket, newBulk, newFolder, s3 } from './engine.js';

const DAY = Date.UTC(2026, 0, 1);

/** A chosen file, as a page has it. */
const chosen = (path: string, bytes: Uint8Array<ArrayBuffer>, lastModified = DAY): SourceFile =>
  sourceOf(new File([bytes], path, { lastModified }), path);

/** As a page's journal does, it knows at once what was settled. */
class SessionJournal extends DiskJournal {
  readonly #settled = new Set<string>();

  constructor() {
    super(newFolder(), { keepSettled: true });
  }

  override settled(print: string): boolean {
    return this.#settled.has(print);
  }

  override settle(print: string): void {
    this.#settled.add(print);
  }
}

describe.skipIf(s3 === undefined)('an upload session', () => {
  it('looks for what the journal calls done', async () => {
    const to = { bucket: await newBucket(), prefix: '' };
    const bulk = newBulk();
    const session = bulk.uploadSession(to, { journal: new SessionJournal() });
    const file = chosen('a', randomBytes(1000));
    expect((await session.send(file)).etag).toBeDefined();
    expect((await session.send(file)).etag).toBeUndefined();
    await client.send(new DeleteObjectCommand({ Bucket: to.bucket, Key: 'a' }));
    expect((await session.send(file)).etag).toBeDefined();
    expect(await listed(bulk, to.bucket)).toHaveLength(1);
  });
});

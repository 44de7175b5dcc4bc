import { compositeChecksum, joinChecksums } from '../checksum.js';
import type { ChecksumName } from '../checksum.js';
import { headObject } from '../commands/head-object.js';
import type { ObjectFacts } from '../commands/head-object.js';
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  listParts,
  listUploads,
} from '../commands/multipart.js';
import { isGone } from '../commands/multipart.js';
import type { UploadRef } from '../commands/multipart.js';
import { fromHex } from '../commands/protect.js';
import { S3Error, toS3Error } from '../errors.js';
import type { JournalPart, Unfinished } from '../journal.js';
import type { ObjectProperties } from '../types.js';
import { PART_SIZE } from './object-check.js';
import type { Run } from './run.js';

/** A multipart upload from its making, or finding, to its end. */
export interface Session {
  upload: UploadRef;
  /** Parts that need not be sent again. */
  have: Map<number, JournalPart>;
  /** The object stands already: the last run died between finishing it and noting that. */
  finished?: string;
}

interface Wanted {
  bucket: string;
  key: string;
  size: number;
  version: string;
  partSize: number;
  properties: ObjectProperties;
}

/** Goes on with what an earlier run began for exactly these bytes, or begins anew and cleans up what it left. */
export async function openSession(run: Run, wanted: Wanted): Promise<Session> {
  const { bucket, key } = wanted;
  const { store } = run;
  const old = run.journal.unfinished.get(key);
  if (old !== undefined) {
    const same = old.size === wanted.size && old.version === wanted.version && old.partSize === wanted.partSize;
    const session = same ? await resume(run, bucket, old) : undefined;
    if (session !== undefined) return session;
    await cleanUp(run, bucket, old);
  }
  await run.journal.begin({
    key,
    size: wanted.size,
    version: wanted.version,
    partSize: wanted.partSize,
    begunMs: run.store.now(),
  });
  const properties = store.confirms
    ? wanted.properties
    : { ...wanted.properties, metadata: { ...wanted.properties.metadata, [PART_SIZE]: String(wanted.partSize) } };
  const uploadId = await run.request(key, 0, () =>
    createMultipartUpload(run.store, { bucket, key, properties, signal: run.signal }),
  );
  await run.journal.named(key, uploadId);
  return { upload: { bucket, key, uploadId }, have: new Map() };
}

async function resume(run: Run, bucket: string, old: Unfinished): Promise<Session | undefined> {
  const { key, uploadId } = old;
  if (uploadId === undefined) return undefined;
  const upload = { bucket, key, uploadId };
  const stored = await run.request(key, 0, () => listParts(run.store, { ...upload, signal: run.signal }));
  if (stored === undefined) {
    const etag = await finishedBefore(run, bucket, old);
    return etag === undefined ? undefined : { upload, have: old.parts, finished: etag };
  }
  const have = new Map<number, JournalPart>();
  for (const part of stored) {
    const noted = old.parts.get(part.number);
    if (noted !== undefined && noted.etag === part.etag) have.set(part.number, noted);
  }
  return { upload, have };
}

/** Whether the object that stands there now is made of the parts the journal knows. */
async function finishedBefore(run: Run, bucket: string, old: Unfinished): Promise<string | undefined> {
  const parts = [...old.parts.values()].sort((a, b) => a.number - b.number);
  const facts = await run.request(old.key, 0, () => headObject(run.store, { bucket, key: old.key, signal: run.signal }));
  if (facts === undefined || facts.size !== old.size || parts.length !== Math.ceil(old.size / old.partSize)) return undefined;
  const checksum = joinAll(run.store.checksum, parts, old.size, old.partSize);
  return facts.checksum?.value === checksum || facts.etag === multipartEtag(run, parts) ? facts.etag : undefined;
}

/** The ETag of an object made of parts whose ETags are MD5s; undefined when they are not. */
export function multipartEtag(run: Run, parts: { etag: string }[]): string | undefined {
  if (!parts.every((part) => /^[0-9a-f]{32}$/.test(part.etag))) return undefined;
  const hash = run.store.digests.md5();
  for (const part of parts) hash.update(fromHex(part.etag));
  return `${hash.hex()}-${parts.length}`;
}

/** The checksum of the whole from those of parts that are all of one size, but for the last. */
export const joinAll = (name: ChecksumName, parts: { checksum: string }[], size: number, partSize: number): string =>
  joinChecksums(
    name,
    parts.map(({ checksum }, index) => ({ checksum, size: Math.min(partSize, size - index * partSize) })),
  );

/** Ends what an earlier run began and nobody will finish. */
export async function cleanUp(run: Run, bucket: string, old: Unfinished): Promise<void> {
  const { key } = old;
  const abort = (uploadId: string): Promise<void> =>
    run.request(key, 0, () => abortMultipartUpload(run.store, { bucket, key, uploadId, signal: run.signal }));
  if (old.uploadId !== undefined) await abort(old.uploadId);
  else {
    // The run died before it heard the upload's id: it is the one of this key that was begun then.
    const found = await run.request(key, 0, () => listUploads(run.store, { bucket, key, signal: run.signal }));
    for (const upload of found) if (upload.initiatedMs >= old.begunMs - 5000) await abort(upload.uploadId);
  }
  run.journal.end(key);
}

/** Puts the parts together and checks what came of it. @returns the ETag. */
export async function completeSession(
  run: Run,
  session: Session,
  parts: JournalPart[],
  facts: { checksum: string; size: number; onlyNew?: boolean },
): Promise<string> {
  const { upload } = session;
  const { key, bucket } = upload;
  let gone: S3Error | undefined;
  const made = await run.request(key, 0, async () => {
    try {
      return await completeMultipartUpload(run.store, { ...upload, parts, ...facts, signal: run.signal });
    } catch (thrown) {
      const error = toS3Error(thrown);
      // An earlier try, or a run that was killed while it waited, may have been heard: then the object stands, made of these parts.
      if (!isGone(error)) throw error;
      gone = error;
      return { etag: '', checksum: undefined };
    }
  });
  const { checksum: name, digests } = run.store;
  if (made.checksum !== undefined) {
    const composite = made.checksum.includes('-');
    const all = parts.map((part) => part.checksum);
    const expected = composite ? compositeChecksum(digests, name, all) : facts.checksum;
    if (made.checksum !== expected)
      throw new S3Error('ChecksumMismatch', `The store has ${name} ${made.checksum}, sent was ${expected}.`);
    return made.etag;
  }
  const head = await run.request(key, 0, () => headObject(run.store, { bucket, key, signal: run.signal }));
  // Else the ETag tells: it is made of the parts' MD5s, each of which was compared when the part was sent.
  const wrongSum = head?.checksum?.name === name && head.checksum.value !== facts.checksum;
  const joined = multipartEtag(run, parts);
  const wrongTag = head !== undefined && isJoinedTag(head) && head.etag !== (joined ?? head.etag);
  const proven = head?.size === facts.size && (head.checksum?.value === facts.checksum || head.etag === joined);
  if (gone !== undefined && !proven) throw gone;
  if (head === undefined || head.size !== facts.size || wrongSum || wrongTag || (made.etag !== '' && head.etag !== made.etag))
    throw new S3Error('ChecksumMismatch', 'The object in the store is not what was sent.');
  return head.etag;
}

/** An ETag that is made of those of the parts, as far as its form can tell. */
const isJoinedTag = (facts: ObjectFacts): boolean => !facts.encrypted && /^[0-9a-f]{32}-\d+$/.test(facts.etag);

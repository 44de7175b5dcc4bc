import { compositeChecksum, joinChecksums } from '../s3/checksums.js';
import type { Checksum, ChecksumName } from '../s3/checksums.js';
import type { ObjectFacts } from '../s3/commands/head-object.js';
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  listParts,
  listUploads,
} from '../s3/commands/multipart.js';
import { isGone } from '../s3/commands/multipart.js';
import type { StoredPart, UploadEntry, UploadRef, UploadsAfter } from '../s3/commands/multipart.js';
import { fromHex } from '../s3/commands/protect.js';
import { S3Error, toS3Error } from '../errors.js';
import { hash64 } from '../journal/hash64.js';
import { placeOf, unfinishedAt } from '../journal/resume-journal.js';
import type { JournalPart, Unfinished } from '../journal/resume-journal.js';
import type { ObjectProperties, Place } from '../types.js';
import { factsAt, unlessUntold } from '../list/head-object.js';
import { keepTags } from './keep-tags.js';
import { goesOn } from '../list/list.js';
import { questions } from './run.js';
import type { Run } from './run.js';

/**
 * Metadata that tells in what parts an object was uploaded. Stores without checksums make its ETag of them, and the older
 * ones of these do not tell their size.
 */
export const PART_SIZE = 'svc-part-size';

/** A multipart upload from its making, or finding, to its end. */
export interface Session {
  upload: UploadRef;
  /** Parts that need not be sent again. */
  have: Map<number, JournalPart>;
  /** Parts that an earlier run sent and whose answer it did not hear: they need no sending if they are of the same bytes. */
  unheard: Map<number, StoredPart>;
  /** The object stands already: the last run died between finishing it and noting that. */
  finished?: string;
  tags?: string | undefined;
}

interface Wanted {
  bucket: string;
  key: string;
  /** Negative: what is sent cannot be read again, and nothing of it can be gone on with. */
  size: number;
  version: string;
  /** What differs also when nothing but the file's name or rights did: then the parts are compared by their checksums. */
  stamp?: string | undefined;
  partSize: number;
  properties: ObjectProperties;
  /** The store copies the parts by itself. */
  copies?: true;
}

/** Goes on with what an earlier run began for exactly these bytes, or begins anew and cleans up what it left. */
export async function openSession(run: Run, wanted: Wanted): Promise<Session> {
  const { bucket, key, size, partSize, copies } = wanted;
  const { store } = run;
  // Parts of other properties would make an object of those.
  const bare = `${wanted.version} ${hash64(JSON.stringify(wanted.properties)).toString(36)}`;
  const version = wanted.stamp === undefined ? bare : `${bare} @${wanted.stamp}`;
  const place = placeOf('to', bucket);
  const old = unfinishedAt(run.journal, key, place);
  let lost = false;
  if (old !== undefined) {
    const sure = old.version === version;
    const like = sure || (wanted.stamp !== undefined && old.version.startsWith(`${bare} @`));
    const same = like && size >= 0 && old.size === size && old.partSize === partSize;
    const session = same ? await resume(run, bucket, old, sure).catch(unlessUntold) : undefined;
    if (session !== undefined && !sure) {
      await run.journal.begin({ key, place, size, version, partSize, begunMs: old.begunMs });
      await run.journal.named(key, session.upload.uploadId);
    }
    if (session !== undefined) {
      const { tags } = wanted.properties;
      if (session.finished !== undefined) await keepTags(run, wanted, tags);
      return { ...session, tags };
    }
    await cleanUp(run, bucket, old).catch((error: unknown) => {
      lost = true;
      return unlessUntold(error);
    });
  }
  const begun = { key, place, size, version, partSize, begunMs: store.now() };
  // What could be neither read nor ended stays known until there is something in its place.
  if (!lost) await run.journal.begin(begun);
  // A copy has no checksum, and what its source was noted to be made of comes along.
  const properties =
    store.confirms && !copies
      ? wanted.properties
      : { ...wanted.properties, metadata: { ...wanted.properties.metadata, [PART_SIZE]: String(partSize) } };
  let unheard = false;
  const uploadId = await run
    .request(key, 0, async () => {
      try {
        const create = { bucket, key, properties, ...(copies && { checksums: false }), signal: run.signal };
        return await createMultipartUpload(store, create);
      } catch (error) {
        const { status } = toS3Error(error);
        unheard ||= status < 300 || status >= 500;
        throw error;
      }
    })
    .catch(async (error: unknown) => {
      // What the store refused was never begun.
      if (!unheard && !lost) run.journal.end(key);
      if (unheard && !run.journal.resumable) await endUnnamed(afterwards(run), bucket, begun).catch(() => {});
      throw error;
    });
  if (lost) await run.journal.begin(begun);
  await run.journal.named(key, uploadId);
  // A try whose answer was lost may have begun an upload as well. Where that cannot be told, this one goes on all the same.
  if (unheard) await endUnnamed(run, bucket, begun, uploadId).catch(() => {});
  return { upload: { bucket, key, uploadId }, have: new Map(), unheard: new Map(), tags: properties.tags };
}

/** @param sure whether the parts are of these very bytes, as far as anything tells; else each is compared. */
async function resume(run: Run, bucket: string, old: Unfinished, sure: boolean): Promise<Session | undefined> {
  const { key, uploadId } = old;
  if (uploadId === undefined) return undefined;
  const upload = { bucket, key, uploadId };
  const stored = await run.request(key, 0, () => listParts(run.store, { ...upload, signal: run.signal }));
  const have = new Map<number, JournalPart>();
  const unheard = new Map<number, StoredPart>();
  if (stored === undefined) {
    const etag = sure ? await finishedBefore(run, bucket, old) : undefined;
    return etag === undefined ? undefined : { upload, have, unheard, finished: etag };
  }
  for (const part of stored) {
    const noted = old.parts.get(part.number);
    if (noted === undefined) unheard.set(part.number, part);
    else if (noted.etag === part.etag && sure) have.set(part.number, noted);
    else if (noted.etag === part.etag) unheard.set(part.number, { ...part, checksum: part.checksum ?? noted.checksum });
  }
  return { upload, have, unheard };
}

/** Whether the object that stands there now is made of the parts the journal knows. */
async function finishedBefore(run: Run, bucket: string, old: Unfinished): Promise<string | undefined> {
  const parts = [...old.parts.values()].sort((a, b) => a.number - b.number);
  const facts = await factsAt(run, bucket, old.key);
  if (facts === undefined || facts.size !== old.size || parts.length !== Math.ceil(old.size / old.partSize)) return undefined;
  // Of parts that the store copied by itself no checksum is known.
  const checksum = parts.every((part) => part.checksum) && joinAll(run.store.checksum, parts, old.size, old.partSize);
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
  const { key, uploadId } = old;
  if (uploadId === undefined) await endUnnamed(run, bucket, old);
  else await endUpload(run, { bucket, key, uploadId });
  run.journal.end(key);
}

export const endUpload = (run: Run, upload: UploadRef): Promise<void> =>
  run.request(upload.key, 0, () => abortMultipartUpload(run.store, { ...upload, signal: run.signal }));

/** All tries of asking for an upload take no longer, and clocks that differ by more are corrected. */
const ASKING_MS = 15 * 60_000;

/**
 * Ends uploads whose ids nobody heard: those of this key that were begun then, but for the one that is known. Nobody could send parts
 * of them: those that have some are of another machine, or another tool.
 */
async function endUnnamed(run: Run, bucket: string, { key, begunMs }: { key: string; begunMs: number }, known?: string) {
  for await (const { key: found, uploadId, initiatedMs } of unfinishedUploads(run, { bucket, prefix: key })) {
    const after = initiatedMs - begunMs;
    if (found !== key || uploadId === known || after < -5000 || after > ASKING_MS) continue;
    const upload = { bucket, key, uploadId };
    const parts = await run.request(key, 0, () => listParts(run.store, { ...upload, signal: run.signal }));
    if (parts?.length === 0) await endUpload(run, upload);
  }
}

/** What the store holds of uploads that were begun and not ended, under a prefix. */
export async function* unfinishedUploads(run: Run, { bucket, prefix }: Place): AsyncGenerator<UploadEntry> {
  const onward = goesOn();
  let after: UploadsAfter | undefined;
  do {
    const list = { bucket, prefix, ...(after && { after }), signal: run.signal };
    const page = await run.request(prefix, 0, () => listUploads(run.store, list));
    yield* page.uploads;
    after = page.after;
    onward(after && { token: `${after.key}\n${after.uploadId}` }, page.uploads.length);
  } while (after !== undefined);
}

/** For what is still to be ended in spite of the run's own end, and of what made it fail. */
const afterwards = ({ store }: Run): Run => questions(store, { signal: AbortSignal.timeout(10_000), retry: { tries: 3 } });

/** Leaves the parts for the next run where there is a journal to find them by; otherwise nothing is left behind. */
export async function giveUp(run: Run, upload: UploadRef, useless: boolean): Promise<void> {
  if (!useless && run.journal.resumable) return;
  try {
    await endUpload(afterwards(run), upload);
    run.journal.end(upload.key);
  } catch {
    // The failure that led here is the one to tell; the journal still knows the upload.
  }
}

/**
 * What is to come of the parts: the checksum of what was sent, or where the store copied them, that of the source, if it has one, and
 * whether an ETag of such parts is that of its bytes, where anything tells.
 */
type Whole = { size: number; onlyNew?: boolean } & (
  | { checksum: string }
  | { copied: Checksum | undefined; isOf?: (etag: string) => Promise<boolean> }
);

/** Puts the parts together and checks what came of it. @returns the ETag. */
export async function completeSession(run: Run, session: Session, parts: JournalPart[], facts: Whole): Promise<string> {
  const etag = await complete(run, session.upload, parts, facts);
  await keepTags(run, session.upload, session.tags);
  return etag;
}

/** What the store says of parts that are lost or spoilt there: it would say it of them for ever. */
const SPOILT = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall', 'BadDigest']);

async function complete(run: Run, upload: UploadRef, parts: JournalPart[], facts: Whole): Promise<string> {
  const { key, bucket } = upload;
  let gone: S3Error | undefined;
  let spoilt: S3Error | undefined;
  const made = await run.request(key, 0, async () => {
    try {
      return await completeMultipartUpload(run.store, { ...upload, parts, ...facts, signal: run.signal });
    } catch (thrown) {
      const error = toS3Error(thrown);
      // An earlier try, or a run that was killed while it waited, may have been heard: then the object stands, made of these parts.
      // So may one that now finds its own object in the way.
      if (SPOILT.has(error.code)) spoilt = error;
      else if (isGone(error) || error.code === 'PreconditionFailed') gone = error;
      else throw error;
      return { etag: '', checksum: undefined };
    }
  });
  if (spoilt !== undefined) {
    await giveUp(run, upload, true);
    throw spoilt;
  }
  const { checksum: name, digests } = run.store;
  const expected = 'checksum' in facts ? { name, value: facts.checksum } : facts.copied;
  if (made.checksum !== undefined && 'checksum' in facts) {
    const composite = made.checksum.includes('-');
    const all = parts.map((part) => part.checksum);
    const sent = composite ? compositeChecksum(digests, name, all) : facts.checksum;
    if (made.checksum !== sent)
      throw new S3Error('ChecksumMismatch', `The store has ${name} ${made.checksum}, sent was ${sent}.`);
    return made.etag;
  }
  let seen = true;
  const head = await factsAt(run, bucket, key).catch((error: unknown) => {
    seen = false;
    return unlessUntold(error);
  });
  // The store took each part and joined them; whether it did so rightly, this key may not see.
  if (!seen && gone === undefined) return made.etag;
  // Else the ETag tells: it is made of the parts' MD5s, each of which was compared when the part was sent.
  const told = head?.checksum?.name === expected?.name ? head?.checksum?.value : undefined;
  const wrongSum = told !== undefined && told !== expected?.value;
  const joined = multipartEtag(run, parts);
  const wrongTag = head !== undefined && isJoinedTag(head) && head.etag !== (joined ?? head.etag);
  const proven = head?.size === facts.size && ((told !== undefined && !wrongSum) || head.etag === joined);
  if (gone !== undefined && !proven) throw gone;
  if (gone?.code === 'PreconditionFailed') await endUpload(run, upload).catch(() => {});
  const isOf = 'isOf' in facts && told === undefined ? facts.isOf : undefined;
  const wrong =
    head === undefined || head.size !== facts.size || wrongSum || wrongTag || (made.etag !== '' && head.etag !== made.etag);
  if (wrong || (isOf !== undefined && isJoinedTag(head) && !(await isOf(head.etag))))
    throw new S3Error('ChecksumMismatch', 'The object in the store is not what it was to be.');
  return head.etag;
}

/** An ETag that is made of those of the parts, as far as its form can tell. */
const isJoinedTag = (facts: ObjectFacts): boolean => !facts.encrypted && /^[0-9a-f]{32}-\d+$/.test(facts.etag);

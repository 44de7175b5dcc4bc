import { ignoreForbidden } from '../error-kinds.js';
import { createQueryContext } from '../transfer/transfer-context.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { compositeChecksum, joinChecksums } from '../s3/checksums.js';
import type { Checksum, ChecksumName } from '../s3/checksums.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  listParts,
  listUploads,
} from '../s3/commands/multipart.js';
import { isUnknownUpload } from '../s3/commands/multipart.js';
import type { StoredPart, UploadEntry, UploadRef, UploadsAfter } from '../s3/commands/multipart.js';
import { multipartEtag as etagOfParts } from '../../protocol/checksums/multipart-checksums.js';
import { S3Error, toS3Error } from '../errors.js';
import { hash64 } from '../journal/hash64.js';
import { journalPlace, unfinishedAt } from '../journal/resume-journal.js';
import type { JournalPart, Unfinished } from '../journal/resume-journal.js';
import type { ObjectProperties, Place } from '../types.js';
import { headObject } from '../list/head-object.js';
import { restoreTags } from './restore-tags.js';
import { paginationGuard } from '../list/list-objects.js';

/**
 * Metadata that tells in what parts an object was uploaded. Stores without checksums make its ETag of them, and the older
 * ones of these do not tell their size.
 */
export const PART_SIZE_METADATA = 'svc-part-size';

/** A multipart upload from its making, or finding, to its end. */
export interface MultipartSession {
  upload: UploadRef;
  /** Parts that need not be sent again. */
  completed: Map<number, JournalPart>;
  /** Parts that an earlier run sent and whose answer it did not hear: they need no sending if they are of the same bytes. */
  unacknowledged: Map<number, StoredPart>;
  /** The object stands already: the last run died between finishing it and noting that. */
  finishedEtag?: string;
  tags?: string | undefined;
}

interface Wanted {
  bucket: string;
  key: string;
  /** Negative: what is sent cannot be read again, and nothing of it can be gone on with. */
  size: number;
  version: string;
  /** Changes also when only the file's name or rights change. The parts are then compared by their checksums. */
  stamp?: string | undefined;
  partSize: number;
  properties: ObjectProperties;
  /** The store copies the parts by itself. */
  copies?: true;
}

/** Goes on with what an earlier run began for exactly these bytes, or begins anew and cleans up what it left. */
export async function openMultipartSession(context: TransferContext, wanted: Wanted): Promise<MultipartSession> {
  const { bucket, key, size, partSize, copies } = wanted;
  const { store } = context;
  // Parts of other properties would make an object of those.
  const bare = `${wanted.version} ${hash64(JSON.stringify(wanted.properties)).toString(36)}`;
  const version = wanted.stamp === undefined ? bare : `${bare} @${wanted.stamp}`;
  const place = journalPlace('to', bucket);
  const old = unfinishedAt(context.journal, key, place);
  let lost = false;
  if (old !== undefined) {
    const sure = old.version === version;
    const like = sure || (wanted.stamp !== undefined && old.version.startsWith(`${bare} @`));
    const same = like && size >= 0 && old.size === size && old.partSize === partSize;
    const session = same ? await resume(context, bucket, old, sure).catch(ignoreForbidden) : undefined;
    if (session !== undefined && !sure) {
      await context.journal.begin({ key, place, size, version, partSize, begunMs: old.begunMs });
      await context.journal.setUploadId(key, session.upload.uploadId);
    }
    if (session !== undefined) {
      const { tags } = wanted.properties;
      if (session.finishedEtag !== undefined) await restoreTags(context, wanted, tags);
      return { ...session, tags };
    }
    await abortStaleUpload(context, bucket, old).catch((error: unknown) => {
      lost = true;
      return ignoreForbidden(error);
    });
  }
  const begun = { key, place, size, version, partSize, begunMs: store.now() };
  // An upload that could be neither read nor aborted stays in the journal until another replaces it.
  if (!lost) await context.journal.begin(begun);
  // A copy has no checksum, and what its source was noted to be made of comes along.
  const properties =
    store.confirmsChecksums && !copies
      ? wanted.properties
      : { ...wanted.properties, metadata: { ...wanted.properties.metadata, [PART_SIZE_METADATA]: String(partSize) } };
  let unacknowledged = false;
  const uploadId = await context.executor
    .request(key, 0, async () => {
      try {
        const create = { bucket, key, properties, ...(copies && { checksums: false }), signal: context.signal };
        return await createMultipartUpload(store, create);
      } catch (error) {
        const { status } = toS3Error(error);
        unacknowledged ||= status < 300 || status >= 500;
        throw error;
      }
    })
    .catch(async (error: unknown) => {
      // A refused request began no upload.
      if (!unacknowledged && !lost) context.journal.end(key);
      if (unacknowledged && !context.journal.resumable) await endUnnamed(afterwards(context), bucket, begun).catch(() => {});
      throw error;
    });
  if (lost) await context.journal.begin(begun);
  await context.journal.setUploadId(key, uploadId);
  // A failed attempt may have begun an upload too. If that cannot be found out, this upload continues.
  if (unacknowledged) await endUnnamed(context, bucket, begun, uploadId).catch(() => {});
  return { upload: { bucket, key, uploadId }, completed: new Map(), unacknowledged: new Map(), tags: properties.tags };
}

/** @param sure whether the parts are of these very bytes, as far as anything tells; else each is compared. */
async function resume(
  context: TransferContext,
  bucket: string,
  old: Unfinished,
  sure: boolean,
): Promise<MultipartSession | undefined> {
  const { key, uploadId } = old;
  if (uploadId === undefined) return undefined;
  const upload = { bucket, key, uploadId };
  const stored = await context.executor.request(key, 0, () => listParts(context.store, { ...upload, signal: context.signal }));
  const completed = new Map<number, JournalPart>();
  const unacknowledged = new Map<number, StoredPart>();
  if (stored === undefined) {
    const etag = sure ? await finishedBefore(context, bucket, old) : undefined;
    return etag === undefined ? undefined : { upload, completed, unacknowledged, finishedEtag: etag };
  }
  for (const part of stored) {
    const noted = old.parts.get(part.number);
    if (noted === undefined) unacknowledged.set(part.number, part);
    else if (noted.etag === part.etag && sure) completed.set(part.number, noted);
    else if (noted.etag === part.etag) unacknowledged.set(part.number, { ...part, checksum: part.checksum ?? noted.checksum });
  }
  return { upload, completed, unacknowledged };
}

/** Whether the object that stands there now is made of the parts the journal knows. */
async function finishedBefore(context: TransferContext, bucket: string, old: Unfinished): Promise<string | undefined> {
  const parts = [...old.parts.values()].sort((a, b) => a.number - b.number);
  const facts = await headObject(context, bucket, old.key);
  if (facts === undefined || facts.size !== old.size || parts.length !== Math.ceil(old.size / old.partSize)) return undefined;
  // Of parts that the store copied by itself no checksum is known.
  const checksum =
    parts.every((part) => part.checksum) && joinPartChecksums(context.store.checksum, parts, old.size, old.partSize);
  return facts.checksum?.value === checksum || facts.etag === multipartEtag(context, parts) ? facts.etag : undefined;
}

/** The ETag of an object made of parts whose ETags are MD5s; undefined when they are not. */
export function multipartEtag(context: TransferContext, parts: { etag: string }[]): string | undefined {
  if (!parts.every((part) => /^[0-9a-f]{32}$/.test(part.etag))) return undefined;
  return etagOfParts(
    context.store.digests.md5(),
    parts.map((part) => part.etag),
  );
}

/** The checksum of the whole from those of parts that are all of one size, but for the last. */
export const joinPartChecksums = (name: ChecksumName, parts: { checksum: string }[], size: number, partSize: number): string =>
  joinChecksums(
    name,
    parts.map(({ checksum }, index) => ({ checksum, size: Math.min(partSize, size - index * partSize) })),
  );

/** Ends what an earlier run began and nobody will finish. */
export async function abortStaleUpload(context: TransferContext, bucket: string, old: Unfinished): Promise<void> {
  const { key, uploadId } = old;
  if (uploadId === undefined) await endUnnamed(context, bucket, old);
  else await abortUpload(context, { bucket, key, uploadId });
  context.journal.end(key);
}

export const abortUpload = (context: TransferContext, upload: UploadRef): Promise<void> =>
  context.executor.request(upload.key, 0, () => abortMultipartUpload(context.store, { ...upload, signal: context.signal }));

/** All tries of asking for an upload take no longer, and clocks that differ by more are corrected. */
const ASKING_MS = 15 * 60_000;

/**
 * Aborts uploads whose ids were lost with their responses: those of this key that began at that time, except the known one.
 * Uploads with parts belong to other machines or tools.
 */
async function endUnnamed(
  context: TransferContext,
  bucket: string,
  { key, begunMs }: { key: string; begunMs: number },
  known?: string,
) {
  for await (const { key: found, uploadId, initiatedMs } of listUnfinishedUploads(context, { bucket, prefix: key })) {
    const after = initiatedMs - begunMs;
    if (found !== key || uploadId === known || after < -5000 || after > ASKING_MS) continue;
    const upload = { bucket, key, uploadId };
    const parts = await context.executor.request(key, 0, () => listParts(context.store, { ...upload, signal: context.signal }));
    if (parts?.length === 0) await abortUpload(context, upload);
  }
}

/** Lists the unfinished uploads under a prefix. */
export async function* listUnfinishedUploads(context: TransferContext, { bucket, prefix }: Place): AsyncGenerator<UploadEntry> {
  const onward = paginationGuard();
  let after: UploadsAfter | undefined;
  do {
    const list = { bucket, prefix, ...(after && { after }), signal: context.signal };
    const page = await context.executor.request(prefix, 0, () => listUploads(context.store, list));
    yield* page.uploads;
    after = page.after;
    onward(after && { token: `${after.key}\n${after.uploadId}` }, page.uploads.length);
  } while (after !== undefined);
}

/** For what is still to be ended in spite of the run's own end, and of what made it fail. */
const afterwards = ({ store }: TransferContext): TransferContext =>
  createQueryContext(store, { signal: AbortSignal.timeout(10_000), retry: { tries: 3 } });

/** Leaves the parts for the next run where there is a journal to find them by; otherwise nothing is left behind. */
export async function abandonUpload(context: TransferContext, upload: UploadRef, useless: boolean): Promise<void> {
  if (!useless && context.journal.resumable) return;
  try {
    await abortUpload(afterwards(context), upload);
    context.journal.end(upload.key);
  } catch {
    // The failure that led here is the one to tell; the journal still knows the upload.
  }
}

/**
 * The expected object: its checksum, or for parts that the store copied, the checksum of the source if known, and a check of
 * the ETag.
 */
type Whole = { size: number; onlyNew?: boolean } & (
  | { checksum: string }
  | { copied: Checksum | undefined; isOf?: (etag: string) => Promise<boolean> }
);

/** Puts the parts together and checks what came of it. @returns the ETag. */
export async function completeMultipartSession(
  context: TransferContext,
  session: MultipartSession,
  parts: JournalPart[],
  facts: Whole,
): Promise<string> {
  const etag = await complete(context, session.upload, parts, facts);
  await restoreTags(context, session.upload, session.tags);
  return etag;
}

/** Errors for parts that are lost or damaged in the store. Retrying cannot help. */
const SPOILT = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall', 'BadDigest']);

async function complete(context: TransferContext, upload: UploadRef, parts: JournalPart[], facts: Whole): Promise<string> {
  const { key, bucket } = upload;
  let gone: S3Error | undefined;
  let spoilt: S3Error | undefined;
  const made = await context.executor.request(key, 0, async () => {
    try {
      return await completeMultipartUpload(context.store, { ...upload, parts, ...facts, signal: context.signal });
    } catch (thrown) {
      const error = toS3Error(thrown);
      // An earlier attempt may have completed the upload, and a killed run too. Then the object is stored already, made of
      // these parts. A precondition may fail because of it.
      if (SPOILT.has(error.code)) spoilt = error;
      else if (isUnknownUpload(error) || error.code === 'PreconditionFailed') gone = error;
      else throw error;
      return { etag: '', checksum: undefined };
    }
  });
  if (spoilt !== undefined) {
    await abandonUpload(context, upload, true);
    throw spoilt;
  }
  const { checksum: name, digests } = context.store;
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
  const head = await headObject(context, bucket, key).catch((error: unknown) => {
    seen = false;
    return ignoreForbidden(error);
  });
  // The store took each part and joined them; whether it did so rightly, this key may not see.
  if (!seen && gone === undefined) return made.etag;
  // Without a checksum, compare the ETag: it is made of the MD5s of the parts, which were compared when the parts were sent.
  const told = head?.checksum?.name === expected?.name ? head?.checksum?.value : undefined;
  const wrongSum = told !== undefined && told !== expected?.value;
  const joined = multipartEtag(context, parts);
  const wrongTag = head !== undefined && hasMultipartEtag(head) && head.etag !== (joined ?? head.etag);
  const proven = head?.size === facts.size && ((told !== undefined && !wrongSum) || head.etag === joined);
  if (gone !== undefined && !proven) throw gone;
  if (gone?.code === 'PreconditionFailed') await abortUpload(context, upload).catch(() => {});
  const isOf = 'isOf' in facts && told === undefined ? facts.isOf : undefined;
  const wrong =
    head === undefined || head.size !== facts.size || wrongSum || wrongTag || (made.etag !== '' && head.etag !== made.etag);
  if (wrong || (isOf !== undefined && hasMultipartEtag(head) && !(await isOf(head.etag))))
    throw new S3Error('ChecksumMismatch', 'The object in the store is not what it was to be.');
  return head.etag;
}

/** An ETag that is made of those of the parts, as far as its form can tell. */
const hasMultipartEtag = (facts: ObjectHead): boolean => !facts.encrypted && /^[0-9a-f]{32}-\d+$/.test(facts.etag);

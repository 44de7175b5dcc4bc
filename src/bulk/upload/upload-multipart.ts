import { uploadPart } from '../s3/commands/upload-part.js';
import { isStoreFull, toS3Error } from '../errors.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { partSizeFor } from '../transfer/part-plan.js';
import type { Part } from '../transfer/part-plan.js';
import type { ObjectProperties, SourceReader } from '../types.js';
import { isThere } from '../list/head-object.js';
import { inParallel, missingParts } from '../transfer/in-parallel.js';
import type { Following } from '../transfer/progress-meter.js';
import { completeSession, giveUp, joinAll, openSession } from '../transfer/multipart-session.js';
import type { Session } from '../transfer/multipart-session.js';
import { changed, HELD_MAX, hashHeld, hashPart, inTurn, piecesOf, readFully } from '../transfer/part-body.js';
import type { UploadSettings } from './put-bytes.js';
import type { Run } from '../transfer/run.js';

/** A large file in parts, several at once, resumable. @returns undefined when `onlyNew` found the object there. */
export async function uploadMultipart(
  run: Run,
  reader: SourceReader,
  key: string,
  properties: ObjectProperties,
  settings: UploadSettings,
): Promise<{ etag: string; there: number } | undefined> {
  const { size } = reader;
  // An object where an upload was begun may be its own, whose end was not heard: going on with it tells.
  if (settings.onlyNew && !run.journal.unfinished.has(key) && (await isThere(run, settings.bucket, key))) return undefined;
  const partSize = partSizeFor(size, settings.partSize);
  const version = `${reader.mtimeNs ?? ''} ${run.store.checksum}`;
  const stamp = reader.version;
  const session = await openSession(run, { bucket: settings.bucket, key, size, version, stamp, partSize, properties });
  const following = run.meter.follow(key, size);
  try {
    if (session.finished !== undefined) {
      following.passed(size);
      run.journal.end(key);
      return { etag: session.finished, there: following.there };
    }
    const parts = await sendParts(run, reader, session, partSize, following);
    const again = reader.unwatched && (await import('../verify/verify-source.js')).readsTheSame;
    const isWhole = !(await reader.changed()) && (!again || (await again(run, reader, parts, partSize, key)));
    if (!isWhole) throw changed(key);
    const checksum = joinAll(run.store.checksum, parts, size, partSize);
    const etag = await completeSession(run, session, parts, { checksum, size, ...(settings.onlyNew && { onlyNew: true }) });
    run.journal.end(key);
    return { etag, there: following.there };
  } catch (thrown) {
    const error = toS3Error(thrown);
    const exists = settings.onlyNew === true && error.code === 'PreconditionFailed';
    // Where more than the time tells versions apart, the next run compares the parts: a file that was but renamed needs no sending.
    // A file whose changes nobody tells would be found changed again at each try.
    const useless = error.code === 'FileChanged' && (reader.version === undefined || reader.unwatched === true);
    // Parts would only keep the store full: for the next run, and for everybody else.
    await giveUp(run, session.upload, exists || useless || isStoreFull(error));
    if (exists) return undefined;
    throw error;
  } finally {
    following.end();
  }
}

async function sendParts(
  run: Run,
  reader: SourceReader,
  session: Session,
  partSize: number,
  following: Following,
): Promise<JournalPart[]> {
  const parts: JournalPart[] = [];
  async function* missing(_: unknown, signal: AbortSignal) {
    // Borrowing the buffer is what holds a large file to its share of memory.
    for (const part of missingParts({ size: reader.size, partSize, have: session.have }, parts, following))
      yield { part, buffer: await run.buffers.take(roomFor(reader, part), signal) };
  }
  // Nothing still reads from the file, or lies in a borrowed buffer, when this ends and the caller closes it.
  await inParallel(run, missing, async ({ part, buffer }) => {
    try {
      const sent = await sendPart(run, reader, session, part, buffer, following);
      parts[part.number - 1] = sent;
      run.journal.part(session.upload.key, sent);
    } finally {
      run.buffers.give(buffer);
    }
  });
  return parts;
}

const PIECE = 1024 * 1024;

const isHeld = (reader: Readable, part: Part): boolean => part.size <= HELD_MAX && reader.blob === undefined;

/** What parts are read from. */
export type Readable = Pick<SourceReader, 'read' | 'blob'>;

/** The memory that `sendPart` wants for a part. */
export const roomFor = (reader: Readable, part: Part): number => (isHeld(reader, part) ? part.size : PIECE);

export async function sendPart(
  run: Run,
  reader: Readable,
  session: Session,
  part: Part,
  buffer: Uint8Array,
  following: Following,
): Promise<JournalPart> {
  const { key } = session.upload;
  const held = isHeld(reader, part) ? buffer.subarray(0, part.size) : undefined;
  if (held !== undefined) await readFully(reader, part.start, held, key);
  const hash = () => (held === undefined ? hashPart(run, reader, part, buffer, key) : hashHeld(run.store, held));
  const there = session.unheard.get(part.number);
  if (there?.size === part.size) {
    const { checksum, md5Hex } = await hash();
    if (there.checksum === checksum || there.etag === md5Hex) {
      following.passed(part.size);
      return { number: part.number, etag: there.etag, checksum };
    }
  }
  // Few files have such parts, and pages send theirs as Blobs.
  const trailer = held === undefined && reader.blob === undefined ? await import('../s3/commands/trailer.js') : undefined;
  const trails = (): boolean => trailer?.mayTrail(run.store) === true;
  const send = async (moved: (bytes: number) => void): Promise<JournalPart> => {
    // When its turn comes, more may be known of the store.
    const hashes = trails() ? undefined : await (held ? hash() : inTurn(run, async () => (trails() ? undefined : hash())));
    const pieces = held === undefined ? piecesOf(reader, part, buffer, key) : undefined;
    let sent = 0;
    const sending = {
      ...session.upload,
      number: part.number,
      signal: run.signal,
      onSent: (bytes: number) => {
        // Chunks have something round them.
        const own = Math.min(bytes, part.size - sent);
        sent += own;
        moved(own);
      },
    };
    try {
      if (hashes === undefined) {
        const made = await trailer!.uploadPartTrailed(run.store, { ...sending, body: pieces! }, buffer.length);
        return { number: part.number, ...made };
      }
      const etag = await uploadPart(run.store, { ...sending, body: held ?? pieces!, hashes });
      return { number: part.number, etag, checksum: hashes.checksum };
    } finally {
      // An answer that came early ends the request while it still reads, into a buffer that would be lent to others.
      await pieces?.stop();
    }
  };
  return run.request(key, part.size, send, following);
}

import { hashBody } from '../s3/commands/protect.js';
import { uploadPart } from '../s3/commands/upload-part.js';
import { joinChecksums } from '../s3/checksums.js';
import { toS3Error } from '../errors.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { streamPartSizes } from '../transfer/part-plan.js';
import type { SourceFile } from '../types.js';
import { inParallel } from '../transfer/in-parallel.js';
import { completeSession, giveUp, openSession } from '../transfer/multipart-session.js';
import type { Session } from '../transfer/multipart-session.js';
import type { Run } from '../transfer/run.js';
import { streamParts } from './stream-parts.js';
import type { StreamPart } from './stream-parts.js';
import { isThere } from '../list/head-object.js';
import { roomFor, sendPart } from './upload-multipart.js';
import { propertiesOf, putBytes } from './put-bytes.js';
import type { Uploaded, UploadSettings } from './put-bytes.js';

/** A stream of unknown length: one request when it ends within the first part, else parts that grow as it goes on. */
export async function uploadStream(
  run: Run,
  file: SourceFile,
  key: string,
  settings: UploadSettings,
): Promise<Uploaded | undefined> {
  if (settings.onlyNew && (await isThere(run, settings.bucket, key))) return undefined;
  const properties = propertiesOf(file, key, settings);
  const sizeOf = streamPartSizes(settings.partSize, file.expectedSize);
  const wanted = { bucket: settings.bucket, key, size: -1, version: '', partSize: sizeOf(1), properties };
  let opening: Promise<Session> | undefined;
  let session: Session | undefined;
  let whole: { made: Uploaded | undefined } | undefined;
  const parts: JournalPart[] = [];
  const sizes: number[] = [];
  const following = run.meter.follow(key, undefined);
  try {
    const made = (inFlight: ReadonlySet<Promise<void>>, signal: AbortSignal) => streamParts(run, file, sizeOf, inFlight, signal);
    await inParallel(run, made, async (part) => {
      const number = sizes.push(part.size);
      try {
        if (number === 1 && part.ended && 'body' in part) {
          following.end();
          whole = { made: await putBytes(run, key, part.body, properties, settings) };
        } else {
          session = await (opening ??= openSession(run, wanted));
          parts[number - 1] = await send(run, session, number, part, following);
        }
      } finally {
        part.free();
      }
    });
    if (whole !== undefined) return whole.made;
    const size = sizes.reduce((sum, one) => sum + one, 0);
    const pieces = parts.map(({ checksum }, index) => ({ checksum, size: sizes[index]! }));
    const checksum = joinChecksums(run.store.checksum, pieces);
    const etag = await completeSession(run, session!, parts, { checksum, size, ...(settings.onlyNew && { onlyNew: true }) });
    run.journal.end(key);
    return { etag, size, mtimeNs: undefined };
  } catch (error) {
    // A stream cannot be read again: nobody will ever finish this upload.
    if (session !== undefined) await giveUp(run, session.upload, true);
    if (settings.onlyNew && toS3Error(error).code === 'PreconditionFailed') return undefined;
    throw error;
  } finally {
    following.end();
  }
}

async function send(
  run: Run,
  session: Session,
  number: number,
  part: StreamPart,
  following: ReturnType<Run['meter']['follow']>,
): Promise<JournalPart> {
  const { size } = part;
  if ('spool' in part) {
    const piece = { number, start: 0, size };
    const buffer = await run.buffers.take(roomFor(part.spool, piece), run.signal);
    return sendPart(run, part.spool, session, piece, buffer, following).finally(() => run.buffers.give(buffer));
  }
  let checksum = '';
  const etag = await run.request(session.upload.key, size, () => {
    const hashes = hashBody(run.store, part.body);
    checksum = hashes.checksum;
    return uploadPart(run.store, { ...session.upload, number, body: part.body, hashes, signal: run.signal });
  });
  following.moved(size);
  return { number, etag, checksum };
}

import { hashBody } from '../commands/protect.js';
import { uploadPart } from '../commands/upload-part.js';
import { joinChecksums } from '../checksum.js';
import { toS3Error } from '../errors.js';
import type { S3Error } from '../errors.js';
import type { JournalPart } from '../journal.js';
import { DEFAULT_PART_SIZE, MULTIPART, streamPartSize } from '../plan.js';
import type { SourceFile } from '../types.js';
import { completeSession, giveUp, openSession } from './multipart-session.js';
import type { Session } from './multipart-session.js';
import type { Run } from './run.js';
import { isThere } from './upload-multipart.js';
import { propertiesOf, putBytes } from './upload-file.js';
import type { Uploaded, UploadSettings } from './upload-file.js';

/** A stream of unknown length: one request when it ends within the first part, else parts that grow as it goes on. */
export async function uploadStream(
  run: Run,
  file: SourceFile,
  key: string,
  settings: UploadSettings,
): Promise<Uploaded | undefined> {
  if (settings.onlyNew && (await isThere(run, settings.bucket, key))) return undefined;
  const properties = propertiesOf(file, key, settings);
  const first = Math.max(settings.partSize ?? DEFAULT_PART_SIZE, MULTIPART.minPart);
  const stream = file.stream!(run.signal)[Symbol.asyncIterator]();
  const fill = filler(stream);
  let session: Session | undefined;
  const inFlight = new Set<Promise<void>>();
  const parts: JournalPart[] = [];
  const broken: { by?: S3Error } = {};
  const sizes: number[] = [];
  const following = run.meter.follow(key, undefined);
  try {
    for (let number = 1; broken.by === undefined; number++) {
      const buffer = await run.buffers.take(streamPartSize(number, first), run.signal);
      const filled = await fill(buffer, streamPartSize(number, first)).catch((error: unknown) => {
        run.buffers.give(buffer);
        throw toS3Error(error);
      });
      const body = buffer.subarray(0, filled.size);
      if (number === 1 && filled.ended) {
        following.end();
        return await putBytes(run, key, body, properties, settings).finally(() => run.buffers.give(buffer));
      }
      session ??= await openSession(run, { bucket: settings.bucket, key, size: -1, version: '', partSize: first, properties });
      if (filled.size === 0) run.buffers.give(buffer);
      else {
        sizes.push(body.length);
        const sending = send(run, session, number, body, following.moved)
          .then((sent) => void (parts[number - 1] = sent))
          .catch((error: unknown) => void (broken.by ??= toS3Error(error)))
          .finally(() => {
            run.buffers.give(buffer);
            inFlight.delete(sending);
          });
        inFlight.add(sending);
      }
      if (filled.ended) break;
    }
    await Promise.all(inFlight);
    if (broken.by !== undefined) throw broken.by;
    const size = sizes.reduce((sum, one) => sum + one, 0);
    const pieces = parts.map(({ checksum }, index) => ({ checksum, size: sizes[index]! }));
    const checksum = joinChecksums(run.store.checksum, pieces);
    const etag = await completeSession(run, session!, parts, { checksum, size, ...(settings.onlyNew && { onlyNew: true }) });
    run.journal.end(key);
    return { etag, size, mtimeNs: undefined };
  } catch (error) {
    await Promise.all(inFlight);
    // A stream cannot be read again: nobody will ever finish this upload.
    if (session !== undefined) await giveUp(run, session.upload, true);
    if (settings.onlyNew && toS3Error(error).code === 'PreconditionFailed') return undefined;
    throw error;
  } finally {
    following.end();
    await stream.return?.();
  }
}

async function send(
  run: Run,
  session: Session,
  number: number,
  body: Uint8Array,
  moved: (bytes: number) => void,
): Promise<JournalPart> {
  let checksum = '';
  const etag = await run.request(session.upload.key, body.length, () => {
    const hashes = hashBody(run.store, body);
    checksum = hashes.checksum;
    return uploadPart(run.store, { ...session.upload, number, body, hashes, signal: run.signal });
  });
  moved(body.length);
  return { number, etag, checksum };
}

/** Fills buffers from a stream whose pieces have sizes of their own. */
function filler(
  pieces: AsyncIterator<Uint8Array>,
): (buffer: Uint8Array, size: number) => Promise<{ size: number; ended: boolean }> {
  let rest: Uint8Array = new Uint8Array(0);
  return async (buffer, size) => {
    let at = 0;
    for (;;) {
      const taken = rest.subarray(0, size - at);
      buffer.set(taken, at);
      at += taken.length;
      rest = rest.subarray(taken.length);
      if (at === size && rest.length > 0) return { size: at, ended: false };
      const next = await pieces.next();
      if (next.done) return { size: at, ended: true };
      rest = next.value;
    }
  };
}

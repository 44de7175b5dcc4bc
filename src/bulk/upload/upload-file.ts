import type { UploadedFile, UploadSettings } from './upload-settings.js';
import { ignoreForbidden } from '../error-kinds.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { S3Error, sourceError } from '../errors.js';
import { DEFAULT_PART_SIZE } from '../transfer/part-plan.js';
import type { ObjectProperties, SourceFile, SourceReader } from '../types.js';
import { unlessAborted } from '../abort.js';
import { headObject } from '../list/head-object.js';
import { fileChanged } from '../transfer/part-body.js';
import { uploadedIfSame, objectProperties, putBytes } from './put-bytes.js';
import { uploadMultipart } from './upload-multipart.js';
import { uploadStream } from './upload-stream.js';

/** Largest file that is held in memory. No platform reads 2 GiB at once. */
const HELD_WHOLE_MAX = 1024 ** 3;

/** One file to one key. @returns undefined when `onlyNew` found it there. @throws S3Error */
export async function uploadFile(
  context: TransferContext,
  file: SourceFile,
  key: string,
  settings: UploadSettings,
): Promise<UploadedFile | undefined> {
  if (file.stream !== undefined) return uploadStream(context, file, key, settings);
  if (file.directory) return putBytes(context, key, new Uint8Array(0), objectProperties(file, key, settings), settings);
  const opening = openReader(file);
  const reader = opening instanceof Promise ? await waitForReader(opening, context.signal) : opening;
  try {
    if (!(reader.size >= 0)) throw new S3Error('SourceUnreadable', `${file.path}: its size is said to be ${reader.size}.`);
    const properties = objectProperties({ ...file, ...reader }, key, settings);
    const threshold = settings.multipartThreshold ?? 2 * Math.min(settings.partSize ?? DEFAULT_PART_SIZE, DEFAULT_PART_SIZE);
    const made =
      reader.size > Math.min(threshold, HELD_WHOLE_MAX)
        ? await uploadMultipart(context, reader, key, properties, settings)
        : await uploadSmall(context, reader, key, properties, settings);
    return made === undefined ? undefined : { ...made, size: reader.size, mtimeNs: reader.mtimeNs };
  } finally {
    reader.close();
  }
}

function openReader(file: SourceFile): SourceReader | Promise<SourceReader> {
  try {
    if (file.open === undefined) throw new S3Error('SourceUnreadable', `${file.path} has neither bytes nor a stream.`);
    const opening = file.open();
    if (!(opening instanceof Promise)) return opening;
    return opening.catch((error: unknown) => {
      throw sourceError(error);
    });
  } catch (error) {
    throw sourceError(error);
  }
}

/** One that opens after a stop is closed again. */
async function waitForReader(opening: Promise<SourceReader>, signal: AbortSignal): Promise<SourceReader> {
  try {
    return await unlessAborted(opening, signal);
  } catch (error) {
    void opening.then((late) => late.close()).catch(() => {});
    throw error;
  }
}

/** From this size on, `onlyNew` looks first: a store that refuses a body that it has not read may reset the connection. */
const LOOK_FIRST = 64 * 1024;

async function uploadSmall(
  context: TransferContext,
  reader: SourceReader,
  key: string,
  properties: ObjectProperties,
  settings: UploadSettings,
) {
  const looks = settings.onlyNew && reader.size > LOOK_FIRST;
  const facts = looks ? await headObject(context, settings.bucket, key).catch(ignoreForbidden) : undefined;
  if (facts !== undefined && !(settings.takeEqual && facts.size === reader.size)) return undefined;
  const borrowed = context.buffers.acquire(reader.size, context.signal);
  const buffer = borrowed instanceof Promise ? await borrowed : borrowed;
  let reading: Promise<number> | number = 0;
  try {
    const body = buffer.subarray(0, reader.size);
    reading = reader.read(0, body);
    const read = typeof reading === 'number' ? reading : await unlessAborted(reading, context.signal);
    reading = read;
    if (read !== reader.size) throw fileChanged(key);
    if (facts !== undefined) return uploadedIfSame(context, facts, body);
    // A change after this check does not matter: the bytes are already in memory.
    const differs = reader.changed();
    if (typeof differs === 'boolean' ? differs : await unlessAborted(differs, context.signal)) throw fileChanged(key);
    return await putBytes(context, key, body, properties, settings);
  } finally {
    const give = (): void => context.buffers.release(buffer);
    // A pending read still writes into the buffer after an abort.
    if (typeof reading === 'number') give();
    else void reading.then(give, give);
  }
}

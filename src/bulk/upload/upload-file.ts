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
const MAX_BUFFERED_FILE = 1024 ** 3;

/**
 * Uploads one file to one key.
 * @returns undefined if `onlyNew` found an object
 * @throws S3Error `SourceUnreadable`, `FileChanged`, `ChecksumMismatch`, or the refusal of the store
 */
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
    if (!(reader.size >= 0))
      throw new S3Error('SourceUnreadable', `${file.path}: the size must be a number of 0 or more; got ${reader.size}.`);
    const properties = objectProperties({ ...file, ...reader }, key, settings);
    const threshold = settings.multipartThreshold ?? 2 * Math.min(settings.partSize ?? DEFAULT_PART_SIZE, DEFAULT_PART_SIZE);
    const uploaded =
      reader.size > Math.min(threshold, MAX_BUFFERED_FILE)
        ? await uploadMultipart(context, reader, key, properties, settings)
        : await uploadSmall(context, reader, key, properties, settings);
    return uploaded === undefined ? undefined : { ...uploaded, size: reader.size, mtimeNs: reader.mtimeNs };
  } finally {
    reader.close();
  }
}

function openReader(file: SourceFile): SourceReader | Promise<SourceReader> {
  try {
    if (file.open === undefined)
      throw new S3Error('SourceUnreadable', `${file.path}: the source has neither \`open\` nor \`stream\`.`);
    const opening = file.open();
    if (!(opening instanceof Promise)) return opening;
    return opening.catch((error: unknown) => {
      throw sourceError(error);
    });
  } catch (error) {
    throw sourceError(error);
  }
}

/** Waits until a file is open. If the transfer stops first, the file is closed when it opens. */
async function waitForReader(opening: Promise<SourceReader>, signal: AbortSignal): Promise<SourceReader> {
  try {
    return await unlessAborted(opening, signal);
  } catch (error) {
    void opening.then((reader) => reader.close()).catch(() => {});
    throw error;
  }
}

/**
 * Above this size, `onlyNew` requests the object first. A store that refuses a request before it has read the body may reset the
 * connection.
 */
const MAX_UNCHECKED_SIZE = 64 * 1024;

/** Uploads a file in one request. @returns undefined if `onlyNew` found an object */
async function uploadSmall(
  context: TransferContext,
  reader: SourceReader,
  key: string,
  properties: ObjectProperties,
  settings: UploadSettings,
) {
  const checksFirst = settings.onlyNew && reader.size > MAX_UNCHECKED_SIZE;
  const existing = checksFirst ? await headObject(context, settings.bucket, key).catch(ignoreForbidden) : undefined;
  if (existing !== undefined && !(settings.takeEqual && existing.size === reader.size)) return undefined;
  const acquiring = context.buffers.acquire(reader.size, context.signal);
  const buffer = acquiring instanceof Promise ? await acquiring : acquiring;
  let reading: Promise<number> | number = 0;
  try {
    const body = buffer.subarray(0, reader.size);
    reading = reader.read(0, body);
    const read = typeof reading === 'number' ? reading : await unlessAborted(reading, context.signal);
    reading = read;
    if (read !== reader.size) throw fileChanged(key);
    if (existing !== undefined) return uploadedIfSame(context, existing, body);
    // A change after this check does not matter: the bytes are already in memory.
    const checking = reader.changed();
    const isChanged = typeof checking === 'boolean' ? checking : await unlessAborted(checking, context.signal);
    if (isChanged) throw fileChanged(key);
    return await putBytes(context, key, body, properties, settings);
  } finally {
    const release = (): void => context.buffers.release(buffer);
    // A pending read still writes into the buffer after an abort.
    if (typeof reading === 'number') release();
    else void reading.then(release, release);
  }
}

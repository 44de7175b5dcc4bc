import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BlobError } from '../../../../src/protocol/errors.js';
import { blobFolder, blobPath } from './blob-paths.js';
import { BlobLengthError, BlobMissingError } from './driver.js';
import type { BlobRange, BytesDriver, StoredBlob } from './driver.js';
import { exactLength } from './exact-length.js';
import { SharedDirectoryFlush } from './shared-directory-flush.js';
import { DurableFileWriter } from './durable-file-writer.js';
import { WriteAheadLog } from './write-ahead-log.js';
import { singleChunk, readUpTo } from './read-up-to.js';
import type { BodyStart } from './read-up-to.js';

/** Blobs up to this size are written through the write-ahead log. */
const MAX_LOGGED_BLOB_BYTES = 128 * 1024;
/** A range of up to this many bytes is read at once, because a stream costs more time and memory. */
const MAX_SINGLE_READ = 32 * 1024;

/**
 * Opens a store of blobs as files `data/<first 3 characters>/<id>` under `root`. A large blob is written to `temp/<id>`, flushed, renamed, and
 * its directory flushed. After `recover`, a small blob is written in place, and the write-ahead log makes it durable.
 */
export async function openFsBytes(root: string): Promise<BytesDriver> {
  const driver = new FsBytes(root);
  await driver.createFolders();
  return driver;
}

class FsBytes implements BytesDriver {
  readonly #data: string;
  readonly #temp: string;
  readonly #logs: string;
  readonly #directoryFlush = new SharedDirectoryFlush();
  readonly #createdFolders = new Set<string>();
  #openStreams = 0;
  /** Undefined before `recover`. */
  #log: WriteAheadLog | undefined;

  constructor(root: string) {
    this.#data = join(root, 'data');
    this.#temp = join(root, 'temp');
    // The folder keeps the name of earlier releases, whose logs may be in it.
    this.#logs = join(root, 'journal');
  }

  async createFolders(): Promise<void> {
    await mkdir(this.#data, { recursive: true, mode: 0o700 });
    await mkdir(this.#temp, { recursive: true, mode: 0o700 });
  }

  get maxWholeBody(): number {
    return this.#log ? MAX_LOGGED_BLOB_BYTES : 0;
  }

  async write(
    id: string,
    body: AsyncIterable<Uint8Array> | Uint8Array,
    { size, signal }: { size?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    try {
      const start = await this.#readStart(body, size);
      signal?.throwIfAborted();
      if ('whole' in start) await this.#writeSmall(id, start.whole);
      else await this.#writeLarge(id, start.rest, signal);
    } catch (cause) {
      await this.#remove(id);
      throw isFull(cause) ? new BlobError('STORAGE_FULL', 'The disk is full; nothing was stored.', { cause }) : cause;
    }
  }

  /** Reads a body to its end if the write-ahead log takes it. */
  async #readStart(body: AsyncIterable<Uint8Array> | Uint8Array, size = 0): Promise<BodyStart> {
    if (body instanceof Uint8Array)
      return this.#log && body.byteLength <= MAX_LOGGED_BLOB_BYTES ? { whole: body } : { rest: singleChunk(body) };
    return this.#log && size <= MAX_LOGGED_BLOB_BYTES ? readUpTo(body, MAX_LOGGED_BLOB_BYTES) : { rest: body };
  }

  async #writeSmall(id: string, bytes: Uint8Array): Promise<void> {
    await this.#createFolder(this.#folderOf(id));
    await this.#log!.write(id, bytes);
  }

  async #writeLarge(id: string, body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<void> {
    const temporary = join(this.#temp, id);
    const file = await DurableFileWriter.create(temporary);
    try {
      for await (const chunk of body) {
        signal?.throwIfAborted();
        await file.append(chunk);
      }
      signal?.throwIfAborted();
      await file.finish();
    } finally {
      await file.close();
    }
    await this.#createFolder(this.#folderOf(id));
    await rename(temporary, this.#pathOf(id));
    await this.#directoryFlush.flush(this.#folderOf(id));
  }

  async read(id: string, range?: BlobRange, signal?: AbortSignal): Promise<Readable> {
    const file = await open(this.#pathOf(id), 'r').catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'ENOENT' ? new BlobMissingError(id) : cause;
    });
    const isSmallTail = range?.size !== undefined && range.end === range.size - 1 && range.end - range.start < MAX_SINGLE_READ;
    if (isSmallTail) return streamOf(await readTail(file, id, range).finally(() => file.close()), signal);
    const { start, end } = await boundsOf(file, id, range).catch(async (cause: unknown) => {
      await file.close();
      throw cause;
    });
    const length = end - start + 1;
    if (length > MAX_SINGLE_READ) return exactLength(id, this.#openStream(file, range && { start, end }, signal), length);
    // The file is closed before the stream is created, so that the caller receives all events of the stream.
    return streamOf(await readWholeRange(file, id, start, length).finally(() => file.close()), signal);
  }

  /** Streams a file, or the bytes from `start` to `end`. The stream closes the file. */
  #openStream(file: FileHandle, bounds: { start: number; end: number } | undefined, signal: AbortSignal | undefined): Readable {
    this.#openStreams += 1;
    const highWaterMark = readChunkSize(this.#openStreams);
    const stream = createReadStream('', { fd: file, highWaterMark, ...bounds, ...(signal && { signal }) });
    stream.once('close', () => (this.#openStreams -= 1));
    // A stream may fail before it has a reader, who receives the error later.
    return stream.on('error', () => {});
  }

  async delete(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#remove(id);
  }

  async *list(signal?: AbortSignal): AsyncGenerator<StoredBlob> {
    const folders = (await readdir(this.#data)).map((name) => join(this.#data, name));
    for (const folder of [this.#temp, ...folders]) {
      for (const id of await readdir(folder)) {
        signal?.throwIfAborted();
        // The file may have been deleted between the two calls.
        const stats = await stat(join(folder, id)).catch(() => undefined);
        if (stats) yield { id, size: stats.size, changedAt: stats.mtimeMs };
      }
    }
  }

  async ping(): Promise<void> {
    const probe = join(this.#temp, `probe-${process.pid}`);
    try {
      await (await open(probe, 'w')).close();
    } catch (cause) {
      // A full disk can still be read.
      if (!isFull(cause)) throw cause;
    }
    await rm(probe, { force: true });
  }

  async recover(): Promise<void> {
    // Retiring a log needs syncfs(2), which only Linux has.
    if (process.platform !== 'linux') return;
    this.#log = await WriteAheadLog.open(this.#logs, this.#data, async (id, bytes) => {
      await this.#createFolder(this.#folderOf(id));
      await writeFile(this.#pathOf(id), bytes, { mode: 0o600 });
    });
  }

  async close(): Promise<void> {
    await this.#log?.close();
  }

  #folderOf(id: string): string {
    return blobFolder(this.#data, id);
  }

  #pathOf(id: string): string {
    return blobPath(this.#data, id);
  }

  async #createFolder(folder: string): Promise<void> {
    if (this.#createdFolders.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#directoryFlush.flush(this.#data);
    this.#createdFolders.add(folder);
  }

  async #remove(id: string): Promise<void> {
    await rm(this.#pathOf(id), { force: true });
    await rm(join(this.#temp, id), { force: true });
  }
}

/**
 * Returns the bytes of one read. A client that stops reading holds three such chunks in memory, so many open streams get small chunks. A few
 * streams get chunks that keep a fast disk busy.
 */
export function readChunkSize(openStreams: number): number {
  if (openStreams <= 64) return 256 * 1024;
  return openStreams <= 256 ? 64 * 1024 : 32 * 1024;
}

/** Returns the first and last byte to read. @throws BlobLengthError if the file has another size than was stored. */
async function boundsOf(file: FileHandle, id: string, range: BlobRange | undefined): Promise<{ start: number; end: number }> {
  const { size } = await file.stat();
  const stored = range?.size ?? size;
  if (size !== stored)
    throw new BlobLengthError(id, size < stored ? 'short' : 'long', `the disk has ${size} bytes; ${stored} were stored`);
  const { start = 0, end = size - 1 } = range ?? {};
  return { start, end };
}

const streamOf = (bytes: Uint8Array, signal: AbortSignal | undefined): Readable =>
  Readable.from([bytes], { objectMode: false, ...(signal && { signal }) }).on('error', () => {});

/**
 * Reads to the end of a small blob and one byte further, which reveals a file that is too long. A call of stat would cost each small download
 * another round through the thread pool.
 */
async function readTail(file: FileHandle, id: string, { start, end }: BlobRange): Promise<Uint8Array> {
  const length = end - start + 1;
  const bytes = await readRange(file, start, length + 1, length);
  if (bytes.byteLength === length) return bytes;
  if (bytes.byteLength > length)
    throw new BlobLengthError(id, 'long', `the disk has more than the ${end + 1} bytes that were stored`);
  throw new BlobLengthError(id, 'short', `the disk has ${start + bytes.byteLength} bytes; ${end + 1} were stored`);
}

/** @throws BlobLengthError if the file ends before. */
async function readWholeRange(file: FileHandle, id: string, start: number, length: number): Promise<Uint8Array> {
  const bytes = await readRange(file, start, length);
  if (bytes.byteLength < length)
    throw new BlobLengthError(id, 'short', `the disk returned ${bytes.byteLength} of ${length} bytes`);
  return bytes;
}

/**
 * Reads a range of a file.
 * @param length bytes at most. @param enough bytes after which the read may stop. @returns fewer bytes if the file ends before.
 */
async function readRange(file: FileHandle, start: number, length: number, enough = length): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < enough) {
    const { bytesRead } = await file.read(bytes, read, length - read, start + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}

const isFull = (cause: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((cause as NodeJS.ErrnoException)?.code ?? '');

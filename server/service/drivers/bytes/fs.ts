import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BlobError } from '../../../../src/protocol/errors.js';
import { BlobLengthError, BlobMissingError } from './driver.js';
import type { BlobRange, BytesDriver } from './driver.js';
import { exactLength } from './exact-length.js';
import { SharedDirectoryFlush } from './shared-directory-flush.js';
import { DurableFileWriter } from './durable-file-writer.js';
import { WriteAheadLog } from './write-ahead-log.js';
import { singleChunk, readUpTo } from './read-up-to.js';
import type { BodyStart } from './read-up-to.js';

/** Blobs up to this size are written through the write-ahead log. Bytes. */
const MAX_LOGGED_BLOB = 128 * 1024;
/**
 * Returns the bytes of one read. A client that stops reading holds three such chunks in memory, so many open reads get small chunks. A few
 * readers get chunks that keep a fast disk busy.
 */
export function readChunkSize(openReads: number): number {
  if (openReads <= 64) return 256 * 1024;
  return openReads <= 256 ? 64 * 1024 : 32 * 1024;
}
/** A range of up to this many bytes is read at once, because a stream costs more time and memory. */
const MAX_SINGLE_READ = 32 * 1024;

/**
 * Opens a store of blobs as files `data/<first 3 characters>/<id>` under `root`. A large blob is written to `temp/<id>`, flushed, renamed, and
 * its directory flushed. After `recover`, a small blob is written in place, and the write-ahead log makes it durable.
 */
export async function openFsBytes(root: string): Promise<BytesDriver> {
  const data = join(root, 'data');
  const temp = join(root, 'temp');
  const flush = new SharedDirectoryFlush();
  const createdFolders = new Set<string>();
  let openReads = 0;
  await mkdir(data, { recursive: true, mode: 0o700 });
  await mkdir(temp, { recursive: true, mode: 0o700 });

  const folderOf = (id: string) => join(data, id.slice(0, 3));
  const pathOf = (id: string) => join(folderOf(id), id);

  async function makeFolder(folder: string): Promise<void> {
    if (createdFolders.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await flush.flush(data);
    createdFolders.add(folder);
  }

  async function remove(id: string): Promise<void> {
    await rm(pathOf(id), { force: true });
    await rm(join(temp, id), { force: true });
  }

  let log: WriteAheadLog | undefined;

  async function writeSmall(id: string, bytes: Uint8Array): Promise<void> {
    await makeFolder(folderOf(id));
    await log!.write(id, bytes);
  }

  async function writeLarge(id: string, body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<void> {
    const file = await DurableFileWriter.create(join(temp, id));
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
    await makeFolder(folderOf(id));
    await rename(join(temp, id), pathOf(id));
    await flush.flush(folderOf(id));
  }

  async function readStart(body: AsyncIterable<Uint8Array> | Uint8Array, size = 0): Promise<BodyStart> {
    if (body instanceof Uint8Array)
      return log && body.byteLength <= MAX_LOGGED_BLOB ? { whole: body } : { rest: singleChunk(body) };
    return log && size <= MAX_LOGGED_BLOB ? readUpTo(body, MAX_LOGGED_BLOB) : { rest: body };
  }

  return {
    get maxWholeBody() {
      return log ? MAX_LOGGED_BLOB : 0;
    },

    async write(id, body, { size, signal } = {}) {
      try {
        const start = await readStart(body, size);
        signal?.throwIfAborted();
        if ('whole' in start) await writeSmall(id, start.whole);
        else await writeLarge(id, start.rest, signal);
      } catch (cause) {
        await remove(id);
        throw isFull(cause) ? new BlobError('STORAGE_FULL', 'The disk is full; nothing was stored.', { cause }) : cause;
      }
    },

    async read(id, range, signal) {
      const file = await open(pathOf(id), 'r').catch((cause: NodeJS.ErrnoException) => {
        throw cause.code === 'ENOENT' ? new BlobMissingError(id) : cause;
      });
      const isSmallTail = range?.size !== undefined && range.end === range.size - 1 && range.end - range.start < MAX_SINGLE_READ;
      if (isSmallTail) return streamOf(await readTail(file, id, range).finally(() => file.close()), signal);
      const { size } = await file.stat().catch(async (cause: unknown) => {
        await file.close();
        throw cause;
      });
      if (range?.size !== undefined && size !== range.size) {
        await file.close();
        const kind = size < range.size ? 'short' : 'long';
        throw new BlobLengthError(id, kind, `the disk holds ${size} bytes where ${range.size} were stored`);
      }
      const { start = 0, end = size - 1 } = range ?? {};
      const length = end - start + 1;
      if (length <= MAX_SINGLE_READ) {
        const bytes = await readRange(file, start, length).finally(() => file.close());
        if (bytes.byteLength < length)
          throw new BlobLengthError(id, 'short', `the disk gave ${bytes.byteLength} of ${length} bytes`);
        return streamOf(bytes, signal);
      }
      const bounds = range && { start, end };
      openReads += 1;
      const highWaterMark = readChunkSize(openReads);
      const stream = createReadStream('', { fd: file, highWaterMark, ...bounds, ...(signal && { signal }) });
      stream.once('close', () => (openReads -= 1));
      // A stream may fail before it has a reader, who receives the error later.
      stream.on('error', () => {});
      return exactLength(id, stream, length);
    },

    async delete(ids) {
      for (const id of ids) await remove(id);
    },

    async *list(signal) {
      const folders = (await readdir(data)).map((name) => join(data, name));
      for (const folder of [temp, ...folders]) {
        for (const id of await readdir(folder)) {
          signal?.throwIfAborted();
          // The file may have been deleted between the two calls.
          const stats = await stat(join(folder, id)).catch(() => undefined);
          if (stats) yield { id, size: stats.size, changedAt: stats.mtimeMs };
        }
      }
    },

    async ping() {
      const probe = join(temp, `probe-${process.pid}`);
      try {
        await (await open(probe, 'w')).close();
      } catch (cause) {
        // A full disk can still be read.
        if (!isFull(cause)) throw cause;
      }
      await rm(probe, { force: true });
    },

    async recover() {
      // Retiring a log needs syncfs(2), which only Linux has.
      if (process.platform !== 'linux') return;
      log = await WriteAheadLog.open(join(root, 'journal'), data, async (id, bytes) => {
        await makeFolder(folderOf(id));
        await writeFile(pathOf(id), bytes, { mode: 0o600 });
      });
    },

    async close() {
      await log?.close();
    },
  };
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
    throw new BlobLengthError(id, 'long', `the disk holds more than the ${end + 1} bytes that were stored`);
  throw new BlobLengthError(id, 'short', `the disk holds ${start + bytes.byteLength} bytes where ${end + 1} were stored`);
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

import { constants, createReadStream, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { abortError } from '../../abort.js';
import { S3Error } from '../../errors.js';
import type { SourceFile } from '../../types.js';
import { DiskSpool } from '../sorting/disk-spool.js';
import { FileReader } from './file-reader.js';

/**
 * Returns the source of one file.
 * @param path path on disk
 * @param as the path that names the object below the prefix
 * @param pipes accepts pipes and devices as well, which can be read once
 * @throws S3Error `SourceUnreadable` if there is no such file, it cannot be read, or it is not a regular file
 * @example
 * await transfer.upload([fileSource('/tmp/dump.sql', '2026/dump.sql')], { bucket: 'backup', prefix: 'daily/' });
 */
export function fileSource(path: string, as: string, pipes = false): SourceFile {
  try {
    const stat = statSync(path, { bigint: true });
    if (stat.isFile()) return regularFile(path, as, stat);
    if (pipes && stat.isFIFO()) return streamSource(as, (signal) => readPipe(path, signal));
    if (pipes && (stat.isCharacterDevice() || stat.isBlockDevice())) return streamSource(as, () => createReadStream(path));
    throw new S3Error('SourceUnreadable', `${path} is not a regular file.`);
  } catch (error) {
    throw toReadError(error);
  }
}

/** Returns the source of a stream of unknown length. Bytes that exceed the memory limit are spooled to disk. */
export const streamSource = (path: string, stream: NonNullable<SourceFile['stream']>): SourceFile => ({
  path,
  size: null,
  unique: true,
  stream,
  spool: () => new DiskSpool(),
});

/** Reads a pipe as a socket. A blocking read would occupy a thread that cannot be interrupted. */
function readPipe(path: string, signal: AbortSignal | undefined): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const socket = new Socket({ fd, readable: true, writable: false });
  const stop = (): void => void socket.destroy(abortError(signal!));
  // Readers get the error; without this listener it would be uncaught before the first read.
  socket.on('error', () => {}).once('close', () => signal?.removeEventListener('abort', stop));
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  return socket;
}

/** Returns the entry of a link that is left out. */
export const skippedLink = (path: string): SourceFile => ({ path, size: 0, unique: true, skippedLink: true });

interface FileStat {
  size: bigint;
  mtimeNs: bigint;
  mode: bigint;
}

/** Returns the source of a regular file. @param full its path on disk */
export const regularFile = (full: string, path: string, facts: FileStat): SourceFile => ({
  path,
  size: Number(facts.size),
  mtimeNs: facts.mtimeNs,
  mode: Number(facts.mode),
  unique: true,
  open: () => new FileReader(full),
});

/** Converts an error of the disk. */
export const toReadError = (error: unknown): S3Error =>
  error instanceof S3Error ? error : new S3Error('SourceUnreadable', (error as Error).message, { cause: error });

import { constants, createWriteStream, openSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { S3Error } from '../../../src/bulk/errors.js';
import { abortError } from '../../../src/bulk/abort.js';

/** Interval between attempts to open a pipe that has no reader yet. */
const RETRY_MS = 50;

/** Returns whether a path names standard output. */
export const isStandardOutput = (path: string): boolean => /^\/(?:dev\/stdout|(?:dev|proc\/self)\/fd\/1)$/.test(path);

/** Paths of open descriptors. No file can be created there. */
const OPEN_DESCRIPTOR = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/\d+)|proc\/.*)$/;

/** Opens a stream that takes bytes in order. */
export type OpenOutputStream = (signal: AbortSignal | undefined) => Promise<Writable>;

/**
 * Returns a function that opens a named pipe or a device such as `/dev/null`. Creating a file at the path would replace the pipe or
 * device for all programs.
 * @returns undefined if a file can be created at the path
 * @throws S3Error `NameTaken` for other descriptors, block devices and sockets
 */
export function findOutputStream(path: string): OpenOutputStream | undefined {
  const stat = statOf(path);
  if (stat?.isFIFO()) return (signal) => openPipe(path, signal);
  if (stat?.isCharacterDevice()) return async () => createWriteStream('', { fd: openSync(path, constants.O_WRONLY) });
  if (OPEN_DESCRIPTOR.test(path) || stat?.isBlockDevice() || stat?.isSocket())
    throw new S3Error('NameTaken', `${path} is not a regular file. To write to standard output, use -.`);
  return undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // The error is reported when the file is created.
    return undefined;
  }
}

/** Opens a named pipe once it has a reader. A blocking open would occupy a thread that cannot be interrupted. */
async function openPipe(path: string, signal: AbortSignal | undefined): Promise<Writable> {
  for (;;)
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return new Socket({ fd, readable: false, writable: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
      await wait(RETRY_MS, undefined, signal && { signal }).catch(() => {
        throw abortError(signal!);
      });
    }
}

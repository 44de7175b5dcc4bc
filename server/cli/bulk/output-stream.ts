import { constants, createWriteStream, openSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { S3Error } from '../../../src/bulk/errors.js';
import { abortError } from '../../../src/bulk/abort.js';

/** How often it is looked whether somebody has begun to read a pipe. */
const LOOK_MS = 50;

/** A path that is but another word for `-`. */
export const isStandardOutput = (path: string): boolean => /^\/(?:dev\/stdout|(?:dev|proc\/self)\/fd\/1)$/.test(path);

/** A path that names what is open already: a file of that name can neither be made nor replaced. */
const OPEN = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/\d+)|proc\/.*)$/;

/** Opens what takes bytes in order. */
export type Sink = (signal: AbortSignal | undefined) => Promise<Writable>;

/**
 * What takes bytes in order and is no file: a pipe with a name, or a device such as `/dev/null`. One that a file replaced would be gone for
 * every program of the machine. @returns undefined where a file can be made @throws S3Error `NameTaken`
 */
export function sinkAt(path: string): Sink | undefined {
  const stat = statOf(path);
  if (stat?.isFIFO()) return (signal) => pipe(path, signal);
  if (stat?.isCharacterDevice()) return async () => createWriteStream('', { fd: openSync(path, constants.O_WRONLY) });
  if (OPEN.test(path) || stat?.isBlockDevice() || stat?.isSocket())
    throw new S3Error('NameTaken', `${path} is no place for a file; standard output is written -.`);
  return undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // Whoever makes the file there is told what is wrong.
    return undefined;
  }
}

/** Opened when somebody reads: opening it by itself would hold a thread until then, and nothing could end that. */
async function pipe(path: string, signal: AbortSignal | undefined): Promise<Writable> {
  for (;;)
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return new Socket({ fd, readable: false, writable: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
      await wait(LOOK_MS, undefined, signal && { signal }).catch(() => {
        throw abortError(signal!);
      });
    }
}

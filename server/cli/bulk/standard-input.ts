import { createReadStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { OnReadOpts, SocketConstructorOpts } from 'node:net';
import type { Readable } from 'node:stream';
import { S3Error } from '../../../src/bulk/errors.js';
import { abortError } from '../../../src/bulk/abort.js';

/**
 * Standard input until the run is stopped: whoever writes to it may never say another word.
 * @throws S3Error `SourceUnreadable` for a directory
 */
export function standardInput(signal: AbortSignal | undefined): Readable {
  const stat = fstatSync(0);
  if (stat.isDirectory()) throw new S3Error('SourceUnreadable', 'Standard input is a directory.');
  // Of a disk, Node makes a stream without a byte.
  const input = stat.isBlockDevice() ? createReadStream('', { fd: 0 }) : process.stdin;
  endWith(input, signal);
  return input;
}

const PIECE = 256 * 1024;

/**
 * Standard input as bytes, each piece of which is valid until the next one is asked for. A pipe is read into one piece of memory: by
 * itself Node takes 64 KiB anew for every reading, and 70 MB stand about until they are collected.
 */
export function standardBytes(signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
  const stat = fstatSync(0);
  return stat.isFIFO() || stat.isSocket() ? pipeBytes(0, signal) : standardInput(signal);
}

async function* pipeBytes(fd: number, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let piece: Uint8Array | undefined;
  let over: { error?: Error } | undefined;
  let wake = (): void => {};
  const onread: OnReadOpts = {
    buffer: new Uint8Array(PIECE),
    callback: (size, buffer) => {
      piece = buffer.subarray(0, size);
      wake();
      return false;
    },
  };
  // Node offers that to sockets that connect; what it is given otherwise it reads in the same way.
  const socket = new Socket({ fd, readable: true, writable: false, onread } as SocketConstructorOpts);
  endWith(socket, signal);
  socket.on('error', (error) => (over = { error })).on('close', () => ((over ??= {}), wake()));
  try {
    for (;;) {
      if (piece === undefined && over === undefined) await new Promise<void>((resolve) => (wake = resolve));
      if (piece !== undefined) yield piece;
      else if (over?.error !== undefined) throw over.error;
      else return;
      piece = undefined;
      socket.resume();
    }
  } finally {
    socket.destroy();
  }
}

function endWith(stream: Readable, signal: AbortSignal | undefined): void {
  // It is told to who reads; nobody may read yet.
  stream.on('error', () => {});
  if (signal?.aborted) stream.destroy(abortError(signal));
  signal?.addEventListener('abort', () => stream.destroy(abortError(signal)), { once: true });
}

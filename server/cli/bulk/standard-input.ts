import { createReadStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { OnReadOpts, SocketConstructorOpts } from 'node:net';
import type { Readable } from 'node:stream';
import { S3Error } from '../../../src/bulk/errors.js';
import { abortError } from '../../../src/bulk/abort.js';

/**
 * Returns standard input as a stream that ends when the run is aborted.
 * @throws S3Error `SourceUnreadable` for a directory
 */
export function openStandardInput(signal: AbortSignal | undefined): Readable {
  const stat = fstatSync(0);
  if (stat.isDirectory()) throw new S3Error('SourceUnreadable', 'Standard input is a directory.');
  // `process.stdin` is empty for block devices.
  const input = stat.isBlockDevice() ? createReadStream('', { fd: 0 }) : process.stdin;
  destroyOnAbort(input, signal);
  return input;
}

/** Bytes of the buffer for a pipe. */
const BUFFER_SIZE = 256 * 1024;

/**
 * Returns the bytes of standard input in chunks. Each chunk is valid until the next one is requested. A pipe is read into one buffer,
 * because Node would allocate 64 KiB for every read and leave 70 MB of garbage.
 */
export function readStandardInput(signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
  const stat = fstatSync(0);
  return stat.isFIFO() || stat.isSocket() ? readPipe(0, signal) : openStandardInput(signal);
}

async function* readPipe(fd: number, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let chunk: Uint8Array | undefined;
  let closed: { error?: Error } | undefined;
  let wake = (): void => {};
  const onread: OnReadOpts = {
    buffer: new Uint8Array(BUFFER_SIZE),
    callback: (size, buffer) => {
      chunk = buffer.subarray(0, size);
      wake();
      return false;
    },
  };
  // Node documents `onread` for connecting sockets only, but applies it to descriptors as well.
  const socket = new Socket({ fd, readable: true, writable: false, onread } as SocketConstructorOpts);
  destroyOnAbort(socket, signal);
  socket.on('error', (error) => (closed = { error })).on('close', () => ((closed ??= {}), wake()));
  try {
    for (;;) {
      if (chunk === undefined && closed === undefined) await new Promise<void>((resolve) => (wake = resolve));
      if (chunk !== undefined) yield chunk;
      else if (closed?.error !== undefined) throw closed.error;
      else return;
      chunk = undefined;
      socket.resume();
    }
  } finally {
    socket.destroy();
  }
}

function destroyOnAbort(stream: Readable, signal: AbortSignal | undefined): void {
  // Before the first read, an error without a listener would end the process.
  stream.on('error', () => {});
  if (signal?.aborted) stream.destroy(abortError(signal));
  signal?.addEventListener('abort', () => stream.destroy(abortError(signal)), { once: true });
}

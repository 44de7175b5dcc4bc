import { setTimeout as sleep } from 'node:timers/promises';
import type { Writable } from 'node:stream';
import type { Changes, Fault } from './types.js';

/** Ends a request on purpose. The proxy resets the connections. */
export class ConnectionCut extends Error {}

export interface ForwardOptions {
  cutAt: number | undefined;
  stallAt: number | undefined;
  bytesPerSecond: number | undefined;
  beforeChunk: Fault['beforeChunk'];
  changes: Changes | undefined;
  /** Resolves when the client has closed. */
  clientClosed: Promise<unknown>;
  /** Whether the target needs no more bytes. The rest is read and dropped, because browsers read an early response only after they sent everything. */
  isDone?: () => boolean;
  count(bytes: number): void;
}

/** Forwards a body and applies its faults. @throws ConnectionCut at the offset of a cut */
export async function forwardBody(source: AsyncIterable<Buffer>, target: Writable, options: ForwardOptions): Promise<void> {
  const { cutAt, stallAt, bytesPerSecond, beforeChunk, changes, clientClosed, isDone = () => false, count } = options;
  const end = Math.min(cutAt ?? Infinity, stallAt ?? Infinity);
  const flipAt = changes?.flipByteAt ?? -1;
  let forwarded = 0;
  const stop = async (): Promise<never> => {
    // A stall keeps the connection open until the client closes it.
    if (stallAt !== undefined && end === stallAt) await clientClosed;
    throw new ConnectionCut();
  };
  if (end === 0) await stop();
  for await (const received of source) {
    if (isDone()) continue;
    const chunk = Buffer.from(received.subarray(0, Math.min(received.length, end - forwarded)));
    if (flipAt >= forwarded && flipAt < forwarded + chunk.length) chunk[flipAt - forwarded] = ~chunk[flipAt - forwarded]! & 0xff;
    // Waits until the kernel has the bytes, so that a cut does not lose them.
    await new Promise<void>((resolve, reject) => {
      target.write(chunk, (error) => (error && !isDone() ? reject(error) : resolve()));
    });
    forwarded += chunk.length;
    count(chunk.length);
    if (bytesPerSecond !== undefined) await sleep((chunk.length / bytesPerSecond) * 1000);
    await beforeChunk?.(chunk.length);
    if (forwarded >= end) await stop();
  }
  if (end !== Infinity) await stop();
  target.end();
}

/** Yields a body unchanged, or buffers and replaces it. */
export async function* changedBody(source: AsyncIterable<Buffer>, changes: Changes | undefined): AsyncGenerator<Buffer> {
  if (!changes?.body) {
    yield* source;
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  yield changes.body(Buffer.concat(chunks));
}

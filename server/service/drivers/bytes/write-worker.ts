import type { Failure, Tools } from '../../runtime/threads/start-worker.js';

/** Bytes of shared memory, to be left alone until the answer, for an open file. */
export interface WriteOrder {
  fd: number;
  at: number;
  bytes: Uint8Array;
  /** Bytes a call writes at most. */
  step: number;
}

/** `undefined`: all of it is in the file. */
export type Written = Failure | undefined;

/** Runs in a thread of its own. */
export function writeWorker({ port, fs }: Tools): void {
  port.on('message', ({ fd, at, bytes, step }: WriteOrder) => {
    try {
      for (let from = 0; from < bytes.byteLength;)
        from += fs.writeSync(fd, bytes, from, Math.min(step, bytes.byteLength - from), at + from);
      port.postMessage(undefined satisfies Written);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      port.postMessage({ code, message } satisfies Written);
    }
  });
}

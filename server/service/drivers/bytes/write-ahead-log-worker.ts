import type { Failure, Tools } from '../../runtime/threads/start-worker.js';

/** Blobs to be written and made durable together. */
export interface Batch {
  /** The folder of the blobs' folders. */
  data: string;
  /** The journal's file, open, and where in it to write. */
  fd: number;
  at: number;
  /** Records as they stand in the journal. */
  records: Uint8Array;
}

/** `undefined`: all of it is on the disk. `atFlush`: the disk did not confirm what had been written. */
export type Written = (Failure & { atFlush: boolean }) | undefined;

/** Runs in a thread of its own: a file for each blob, then the records into the journal, then the one flush for all. */
export function journalWorker({ port, fs }: Tools): void {
  function writeAll(fd: number, bytes: Uint8Array, position: number): void {
    for (let at = 0; at < bytes.byteLength;) at += fs.writeSync(fd, bytes, at, bytes.byteLength - at, position + at);
  }

  function writeBlob(path: string, bytes: Uint8Array): void {
    const fd = fs.openSync(path, 'wx', 0o600);
    try {
      writeAll(fd, bytes, 0);
    } finally {
      fs.closeSync(fd);
    }
  }

  port.on('message', ({ data, fd, at, records }: Batch) => {
    let atFlush = false;
    try {
      const all = Buffer.from(records.buffer, records.byteOffset, records.byteLength);
      for (let from = 0; from < all.length;) {
        const id = all.toString('latin1', from + 12, from + 44);
        const end = from + 44 + all.readUInt32BE(from + 8);
        writeBlob(`${data}/${id.slice(0, 3)}/${id}`, all.subarray(from + 44, end));
        from = end;
      }
      writeAll(fd, all, at);
      atFlush = true;
      fs.fdatasyncSync(fd);
      port.postMessage(undefined satisfies Written);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      port.postMessage({ code, message, atFlush } satisfies Written);
    }
  });
}

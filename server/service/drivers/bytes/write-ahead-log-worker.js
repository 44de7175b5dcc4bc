// @ts-check
// Worker thread: writes a batch of small blobs. Plain JavaScript, so that Node runs it from the source folder as well.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/** @typedef {import('./write-ahead-log.js').Batch} Batch */
/** @typedef {import('./write-ahead-log.js').BatchResponse} BatchResponse */

// The record format is defined in `log-records.ts`.
const LENGTH_OFFSET = 8;
const ID_OFFSET = 12;
const BODY_OFFSET = 44;

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

/** @param {number} fd @param {Uint8Array} bytes @param {number} position */
function writeAll(fd, bytes, position) {
  let written = 0;
  while (written < bytes.byteLength) written += writeSync(fd, bytes, written, bytes.byteLength - written, position + written);
}

/** @param {string} path @param {Uint8Array} bytes */
function writeBlob(path, bytes) {
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeAll(fd, bytes, 0);
  } finally {
    closeSync(fd);
  }
}

/** Writes a file per blob, then the records into the log, then flushes the log once. @param {Batch} batch @returns {BatchResponse} */
function writeBatch({ dataFolder, logFd, logPosition, records }) {
  let isFlushing = false;
  try {
    const all = Buffer.from(records.buffer, records.byteOffset, records.byteLength);
    let start = 0;
    while (start < all.length) {
      const id = all.toString('latin1', start + ID_OFFSET, start + BODY_OFFSET);
      const end = start + BODY_OFFSET + all.readUInt32BE(start + LENGTH_OFFSET);
      writeBlob(`${dataFolder}/${id.slice(0, 3)}/${id}`, all.subarray(start + BODY_OFFSET, end));
      start = end;
    }
    writeAll(logFd, all, logPosition);
    isFlushing = true;
    fdatasyncSync(logFd);
    return undefined;
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    return { code, message, isFlushFailure: isFlushing };
  }
}

port.on('message', (/** @type {Batch} */ batch) => port.postMessage(writeBatch(batch)));

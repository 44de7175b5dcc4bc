// @ts-check
// Worker thread: writes a batch of small blobs. Plain JavaScript, so that Node runs it from the source folder as well.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/** @typedef {import('./write-ahead-log.js').Batch} Batch */
/** @typedef {import('./write-ahead-log.js').BatchResponse} BatchResponse */

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
function writeBatch({ logFd, logPosition, records, blobs }) {
  let isFlushing = false;
  try {
    for (const { path, start, end } of blobs) writeBlob(path, records.subarray(start, end));
    writeAll(logFd, records, logPosition);
    isFlushing = true;
    fdatasyncSync(logFd);
    return undefined;
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    return { code, message, isFlushFailure: isFlushing };
  }
}

port.on('message', (/** @type {Batch} */ batch) => port.postMessage(writeBatch(batch)));

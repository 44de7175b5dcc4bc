// @ts-check
// Worker thread: writes shared memory to open files. Plain JavaScript, so that Node runs it from the source folder as well.
import { writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/** @typedef {import('./durable-file-writer.js').WriteRequest} WriteRequest */
/** @typedef {import('./durable-file-writer.js').WriteResponse} WriteResponse */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

/** @param {WriteRequest} request @returns {WriteResponse} */
function write({ fd, position, bytes, maxWrite }) {
  try {
    let written = 0;
    while (written < bytes.byteLength) {
      const length = Math.min(maxWrite, bytes.byteLength - written);
      written += writeSync(fd, bytes, written, length, position + written);
    }
    return undefined;
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    return { code, message };
  }
}

port.on('message', (/** @type {WriteRequest} */ request) => port.postMessage(write(request)));

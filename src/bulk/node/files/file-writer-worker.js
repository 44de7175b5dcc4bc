// @ts-check
// Worker thread: writes files beside the main thread. Plain JavaScript, so that Node runs it from the source folder as well.
import { parentPort } from 'node:worker_threads';
import { finish, make, open, write } from './write-file.js';

/** @typedef {import('./file-writer.js').WriteRequest} WriteRequest */
/** @typedef {import('./file-writer.js').WriteResponse} WriteResponse */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const steps = { open, write, finish, make };

/** @param {WriteRequest} request @returns {WriteResponse} */
function respond([step, ...parameters]) {
  try {
    return { result: /** @type {(...parameters: unknown[]) => any} */ (steps[step])(...parameters) };
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    return { failure: { code, message } };
  }
}

port.on('message', (/** @type {WriteRequest[]} */ requests) => port.postMessage(requests.map(respond)));

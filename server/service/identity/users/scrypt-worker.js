// @ts-check
// Worker thread: computes scrypt. Plain JavaScript, so that Node runs it from the source folder as well.
import { scryptSync } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** @typedef {import('./scrypt-thread.js').ScryptRequest} ScryptRequest */
/** @typedef {import('./scrypt-thread.js').ScryptResponse} ScryptResponse */

/** Steps of priority ("nice") below the other threads of the service. */
const LOWER_BY = 10;
const LOWEST = 19;

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

/** @param {ScryptResponse} response */
const respond = (response) => port.postMessage(response);

lowerPriority();

port.on('message', (/** @type {ScryptRequest} */ { password, salt, cost, r, p, bytes }) => {
  try {
    // Node's default of `maxmem` is smaller than these hashes need.
    respond({ hash: scryptSync(password, salt, bytes, { N: cost, r, p, maxmem: 256 * cost * r }) });
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    respond({ failure: { code, message } });
  }
});

/** On Linux, each thread has its own priority (setpriority(2)). On other systems, the call would lower that of the whole service. */
function lowerPriority() {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(getPriority() + LOWER_BY, LOWEST));
  } catch {
    // The system refuses.
  }
}

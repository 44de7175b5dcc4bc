// @ts-check
// Child process: computes scrypt. Plain JavaScript, so that Node runs it from the source folder as well.
import { scryptSync } from 'node:crypto';

/** @typedef {import('./scrypt-process.js').ScryptRequest} ScryptRequest */
/** @typedef {import('./scrypt-process.js').ScryptResponse} ScryptResponse */

/** @param {ScryptResponse} response */
const respond = (response) => void process.send?.(response);

process.on('message', (/** @type {ScryptRequest} */ { password, salt, cost, r, p, bytes }) => {
  try {
    // Node's default of `maxmem` is smaller than these hashes need.
    respond({ hash: scryptSync(password, salt, bytes, { N: cost, r, p, maxmem: 256 * cost * r }) });
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    respond({ problem: message });
  }
});
process.once('disconnect', () => process.exit());

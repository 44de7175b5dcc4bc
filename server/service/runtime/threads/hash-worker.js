// @ts-check
// Worker thread: computes the hashes of many bodies. Plain JavaScript, so that Node runs it from the source folder as well.
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** @typedef {import('./threaded-hash.js').HashRequest} HashRequest */
/** @typedef {import('./threaded-hash.js').HashResponse} HashResponse */

/** The open hashes of each body, by the id that the main thread gave it. @type {Map<number, import('node:crypto').Hash[]>} */
const bodies = new Map();
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

/** @param {HashResponse} response */
const respond = (response) => port.postMessage(response);

port.on('message', (/** @type {HashRequest} */ request) => {
  switch (request.type) {
    case 'open':
      bodies.set(
        request.id,
        request.algorithms.map((name) => createHash(name)),
      );
      break;
    case 'update':
      for (const id of request.ids) for (const hash of bodies.get(id) ?? []) hash.update(request.bytes);
      respond([]);
      break;
    case 'digest':
      respond((bodies.get(request.id) ?? []).map((hash) => hash.digest('hex')));
      bodies.delete(request.id);
      break;
    case 'discard':
      bodies.delete(request.id);
  }
});

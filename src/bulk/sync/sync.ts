/** The public face of this folder. It is loaded when a program first syncs. */
export { syncDown } from './sync-down.js';
export { syncUp } from './sync-up.js';
export { syncWithin } from './sync-within.js';

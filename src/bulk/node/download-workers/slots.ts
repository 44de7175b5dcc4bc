import { sharedMemory } from '../checksums/wasm-crc/memory.js';

/** What is checked and written at once: fits a second-level cache. Bytes. */
export const SLOT = 256 * 1024;
/** As much as `sharedMemory` wants for its best; what is not touched takes no memory. */
const MEMORY = 16 * SLOT;

/** Of memory whose bytes are made checksums of without a copy. */
let free: Uint8Array[] | undefined;
let shared: Uint8Array | undefined;

/** What is read into this slot is done with when the call that brings it ends: all connections have it in common. */
export function common(): Uint8Array {
  if (shared === undefined) {
    const memory = sharedMemory(MEMORY);
    free = [];
    for (let at = SLOT; at < MEMORY; at += SLOT) free.push(memory.subarray(at, at + SLOT));
    shared = memory.subarray(0, SLOT);
  }
  return shared;
}

/** A slot of one's own, unless all are in use. The last that was given back is used first, while a cache has it. */
export function take(): Uint8Array | undefined {
  common();
  return free!.pop();
}

export const give = (slot: Uint8Array): void => void free!.push(slot);

import { sharedMemory } from '../folded-crc/memory.js';

/** What is checked and written at once: fits a second-level cache. Bytes. */
export const SLOT = 256 * 1024;
/** As much as `sharedMemory` wants for its best. */
const MEMORY = 16 * SLOT;

/** Of memory whose bytes are made checksums of without a copy; there is other when it is used up. */
const free: Uint8Array[] = [];
let shared: Uint8Array | undefined;

/** What is read into this slot is done with when the call that brings it ends: all connections have it in common. */
export function common(): Uint8Array {
  if (shared === undefined) {
    const memory = sharedMemory(MEMORY);
    for (let at = SLOT; at < MEMORY; at += SLOT) free.push(memory.subarray(at, at + SLOT));
    shared = memory.subarray(0, SLOT);
  }
  return shared;
}

/** A slot of one's own. The last that was given back is used first, while a cache has it. */
export function take(): Uint8Array {
  common();
  return free.pop() ?? new Uint8Array(SLOT);
}

export function give(slot: Uint8Array): void {
  if (slot.buffer === shared?.buffer) free.push(slot);
}

import { readFileSync } from 'node:fs';

/** What is folded at once: fits a second-level cache. Bytes. */
export const BLOCK = 256 * 1024;
/** In front of each memory: what folding needs beside the bytes. */
export const SCRATCH = BLOCK + 64 * 1024;
const PAGE = 64 * 1024;
/** A memory of its own costs a millisecond, and less is not worth that. Bytes. */
const LEAST = 4 * 1024 * 1024;

const known = new WeakMap<ArrayBufferLike, WebAssembly.Memory>();
/** What other bytes are copied into; `null` where there can be none. */
let common: WebAssembly.Memory | null | undefined;

/** The memory to fold them in: that where they lie, if it is such. */
export function memoryOf(bytes: Uint8Array): WebAssembly.Memory | undefined {
  if (common === undefined) common = make(0, false);
  return known.get(bytes.buffer) ?? common ?? undefined;
}

/** Memory, of zeros, that threads share and whose bytes are folded without being copied. */
export function sharedMemory(bytes: number): Uint8Array {
  const memory = bytes < LEAST ? null : make(bytes, true);
  if (memory === null) return new Uint8Array(new SharedArrayBuffer(bytes));
  known.set(memory.buffer, memory);
  return new Uint8Array(memory.buffer, SCRATCH, bytes);
}

function make(bytes: number, shared: boolean): WebAssembly.Memory | null {
  if (!isRoomy()) return null;
  const pages = Math.ceil((SCRATCH + bytes) / PAGE);
  try {
    return new WebAssembly.Memory({ initial: pages, ...(shared && { maximum: pages, shared }) });
  } catch {
    return null;
  }
}

let roomy: boolean | undefined;

/**
 * Whether addresses are free: V8 sets ten gigabytes of them aside for a memory, whatever its size. Where they are limited (`ulimit -v`) it collects
 * all garbage before it says no, or leaves none for the next thread, which then ends the process.
 */
function isRoomy(): boolean {
  if (roomy !== undefined) return roomy;
  try {
    roomy = /^Max address space +unlimited/m.test(readFileSync('/proc/self/limits', 'latin1'));
  } catch {
    // Other systems do not limit them.
    roomy = true;
  }
  return roomy;
}

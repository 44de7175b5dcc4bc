import { readFileSync } from 'node:fs';

/** Bytes that are folded at once. They fit a second-level cache. */
export const BLOCK = 256 * 1024;
const WORK_AREA = 64 * 1024;
const PAGE = 64 * 1024;

/** `null` if the platform gives none. */
let memory: WebAssembly.Memory | null | undefined;

/** Returns the memory in which blocks are folded, or `null` if the platform has no WebAssembly or too few addresses. */
export function foldingMemory(): WebAssembly.Memory | null {
  if (memory === undefined) memory = allocate();
  return memory;
}

function allocate(): WebAssembly.Memory | null {
  if (!hasUnlimitedAddresses()) return null;
  try {
    return new WebAssembly.Memory({ initial: (BLOCK + WORK_AREA) / PAGE });
  } catch {
    return null;
  }
}

/**
 * V8 reserves 10 GB of addresses for a memory of any size. With limited addresses (`ulimit -v`), that exhausts them: the next
 * thread would end the process.
 */
function hasUnlimitedAddresses(): boolean {
  try {
    return /^Max address space +unlimited/m.test(readFileSync('/proc/self/limits', 'latin1'));
  } catch {
    // Systems without this file have no such limit.
    return true;
  }
}

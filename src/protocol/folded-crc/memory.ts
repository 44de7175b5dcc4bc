/** What is folded at once: fits a second-level cache. Bytes. */
export const BLOCK = 256 * 1024;
/** In front of each memory: what folding needs beside the bytes. */
export const SCRATCH = BLOCK + 64 * 1024;
const PAGE = 64 * 1024;

const known = new WeakMap<ArrayBufferLike, WebAssembly.Memory>();
/** What other bytes are copied into; `null` where there is no WebAssembly, or no memory for it. */
let common: WebAssembly.Memory | null | undefined;

/** The memory to fold them in: that where they lie, if it is such. */
export function memoryOf(bytes: Uint8Array): WebAssembly.Memory | undefined {
  return known.get(bytes.buffer) ?? (common ??= make(0, false)) ?? undefined;
}

/** Memory, of zeros, that threads share and whose bytes are folded without being copied. @param bytes more than none */
export function sharedMemory(bytes: number): Uint8Array {
  const memory = make(bytes, true);
  if (memory === null) return new Uint8Array(new SharedArrayBuffer(bytes));
  known.set(memory.buffer, memory);
  return new Uint8Array(memory.buffer, SCRATCH, bytes);
}

function make(bytes: number, shared: boolean): WebAssembly.Memory | null {
  const pages = Math.ceil((SCRATCH + bytes) / PAGE);
  try {
    return new WebAssembly.Memory({ initial: pages, ...(shared && { maximum: pages, shared }) });
  } catch {
    return null;
  }
}

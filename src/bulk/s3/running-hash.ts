/** A hash over bytes that arrive in pieces. */
export interface RunningHash {
  update(bytes: Uint8Array): void;
  /** Completes the hash. @returns it in hexadecimal digits */
  hex(): string;
}

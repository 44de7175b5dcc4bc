/** A hash fed piece by piece. */
export interface RunningHash {
  update(bytes: Uint8Array): void;
  hex(): string;
}

import type { ObjectEntry, SourceFile } from '../types.js';

/** Of each held at most; what is beyond fails where a file is in its way, and nothing goes. */
const HELD_MAX = 200_000;

/** Files that a sync will remove and that stand where it needs a directory, and what waits for them to go. */
export class InTheWay {
  readonly #doomed = new Map<string, SourceFile>();
  readonly #files = new Set<SourceFile>();
  readonly waiting: ObjectEntry[] = [];

  mayBe(file: SourceFile): void {
    if (this.#doomed.size < HELD_MAX) this.#doomed.set(file.path, file);
  }

  /** Whether one of those that may be is. In the order of keys a file comes before what lies below its name. */
  holdsUp(entry: ObjectEntry, path: string): boolean {
    if (this.#doomed.size === 0 || this.waiting.length >= HELD_MAX) return false;
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const file = this.#doomed.get(path.slice(0, at));
      if (file === undefined) continue;
      this.#files.add(file);
      this.waiting.push(entry);
      return true;
    }
    return false;
  }

  is(file: SourceFile): boolean {
    return this.#files.has(file);
  }

  files(): SourceFile[] {
    return [...this.#files];
  }
}

/** A file widget under measurement, set up as its documentation says: what differs is theirs. */
export interface Mounted {
  /** Hands over chosen files the way the widget's own picker does. */
  add(files: File[]): void | Promise<unknown>;
  /** How many files its list holds. */
  listed(): number;
  /** Resolves when so many files are stored. Absent where the widget speaks only with its maker's own service. */
  stored?(count: number): Promise<void>;
}

export interface Widget {
  name: string;
  mount(root: HTMLElement, options: { upload: boolean }): Promise<Mounted>;
}

/** Counts, and resolves when a number is reached. */
export function counter(): { hit(): void; count(): number; reached(count: number): Promise<void> } {
  let hits = 0;
  let wanted = Number.POSITIVE_INFINITY;
  let done: () => void = () => {};
  return {
    hit() {
      if (++hits >= wanted) done();
    },
    count: () => hits,
    reached(count) {
      wanted = count;
      return new Promise((resolve) => {
        done = resolve;
        if (hits >= wanted) resolve();
      });
    },
  };
}

/** Chooses files in a native input, as a person's picker does. */
export function choose(input: HTMLInputElement, files: File[]): void {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

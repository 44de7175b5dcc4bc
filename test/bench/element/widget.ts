/** A file widget under measurement, set up as its documentation says. */
export interface Mounted {
  /** Passes chosen files to the widget as its own picker does. */
  add(files: File[]): void | Promise<unknown>;
  /** Number of files in its list. */
  listed(): number;
  /** Resolves when this many files are stored. Absent for a widget that uploads only to its maker's service. */
  stored?(count: number): Promise<void>;
}

export interface Widget {
  name: string;
  mount(root: HTMLElement, options: { upload: boolean }): Promise<Mounted>;
}

/** Counts events and resolves at a number. */
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

/** Chooses files in a native input, as the file dialog does. */
export function choose(input: HTMLInputElement, files: File[]): void {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

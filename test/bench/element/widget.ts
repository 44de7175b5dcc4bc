/** A file widget under measurement, as its makers tell to set it up: what differs is theirs. */
export interface Mounted {
  /** Hands over chosen files the way the widget's own picker does. */
  add(files: File[]): void | Promise<unknown>;
  /** Resolves when so many files are stored. Absent where the widget speaks only with its maker's own service. */
  stored?(count: number): Promise<void>;
}

export interface Widget {
  name: string;
  mount(root: HTMLElement, options: { upload: boolean }): Promise<Mounted>;
}

/** Resolves when it was called so many times. */
export function counter(): { hit(): void; reached(count: number): Promise<void> } {
  let hits = 0;
  let wanted = Number.POSITIVE_INFINITY;
  let done: () => void = () => {};
  return {
    hit() {
      if (++hits >= wanted) done();
    },
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

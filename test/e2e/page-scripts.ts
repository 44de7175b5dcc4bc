export interface RunInPage {
  /** Runs statements in the page. */
  (script: string): Promise<void>;
  /** Calls a function there, which knows nothing but its arguments, and waits for its promise. */
  <A extends unknown[], T>(script: (...args: A) => T | Promise<T>, ...args: A): Promise<T>;
}

/** @param evaluate tells the value of an expression @param execute runs statements, where that is another thing */
export const createRunner = (evaluate: (script: string) => Promise<unknown>, execute = evaluate): RunInPage =>
  ((script: string | (() => unknown), ...args: unknown[]) =>
    typeof script === 'string' ? execute(script) : evaluate(`(${script.toString()})(...${JSON.stringify(args)})`)) as RunInPage;

/** Adds a file input to the page, for a drop in a browser that cannot be told to drop: real files come into a page by this alone. */
export const addFileCarrier = (): void => {
  const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true, id: 'carrier' });
  document.body.append(input);
};

/** Drops what was chosen in that input as the system would: in, over, and let go. */
export const dropCarriedFiles = (uploader: string): void => {
  const input = document.querySelector<HTMLInputElement>('#carrier')!;
  const dataTransfer = new DataTransfer();
  for (const file of input.files!) dataTransfer.items.add(file);
  input.remove();
  for (const type of ['dragenter', 'dragover', 'drop'])
    document
      .querySelector(uploader)!
      .dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, composed: true, cancelable: true }));
};

/** Waits until it is where it was a frame ago: a driver clicks at a place, and what moves meanwhile is missed. */
export async function waitUntilStill(selector: string): Promise<void> {
  const element = document.querySelector(selector)!;
  element.scrollIntoView({ block: 'center' });
  let before: number | undefined;
  for (;;) {
    const { top } = element.getBoundingClientRect();
    if (top === before) return;
    before = top;
    await new Promise(requestAnimationFrame);
  }
}

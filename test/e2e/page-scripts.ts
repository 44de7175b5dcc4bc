export interface RunInPage {
  /** Runs statements in the page. */
  (script: string): Promise<void>;
  /** Calls a function in the page and waits for its promise. The function may use only its arguments. */
  <A extends unknown[], T>(script: (...args: A) => T | Promise<T>, ...args: A): Promise<T>;
}

/** @param evaluate returns the value of an expression @param execute runs statements, if the driver has another command for them */
export const createRunner = (evaluate: (script: string) => Promise<unknown>, execute = evaluate): RunInPage =>
  ((script: string | (() => unknown), ...args: unknown[]) =>
    typeof script === 'string' ? execute(script) : evaluate(`(${script.toString()})(...${JSON.stringify(args)})`)) as RunInPage;

/** Adds a file input to the page. It brings files of the disk into a browser whose driver cannot drop files. */
export const addFileCarrier = (): void => {
  const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true, id: 'carrier' });
  document.body.append(input);
};

/** Drops the files of that input, with the events of a real drop. */
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

/** Scrolls to an element and waits until it stops moving. A driver clicks at a position and would miss a moving element. */
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

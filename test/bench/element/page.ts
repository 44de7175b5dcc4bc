import { WIDGETS } from './widgets.js';

/** What the runner asks of the page. Times in ms. */
export interface AddResult {
  painted: number;
  longestTask: number;
  nodes: number;
}

declare global {
  interface Window {
    bench: {
      add(widget: string, count: number): Promise<AddResult>;
      upload(widget: string, count: number, size: number): Promise<number | null>;
    };
  }
}

const find = (name: string) => WIDGETS.find((widget) => widget.name === name)!;
const root = () => document.querySelector<HTMLElement>('#root')!;

function makeFiles(count: number, size: number): File[] {
  const chunk = new Uint8Array(Math.min(size, 1024 * 1024)).fill(7);
  const parts = Array.from({ length: Math.ceil(size / chunk.length) }, () => chunk);
  return Array.from({ length: count }, (_, index) => new File(parts, `file-${index}.bin`, { lastModified: index + 1 }));
}

/** Resolves at the first of three calm frames: what was to be painted is. */
function calm(): Promise<number> {
  return new Promise((resolve) => {
    let last = performance.now();
    let quiet = 0;
    let since = last;
    const frame = () => {
      const now = performance.now();
      quiet = now - last < 50 ? quiet + 1 : 0;
      if (quiet === 0) since = now;
      last = now;
      if (quiet === 20) resolve(since);
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

function countNodes(at: ParentNode): number {
  let count = 0;
  for (const element of at.querySelectorAll('*')) count += 1 + (element.shadowRoot ? countNodes(element.shadowRoot) : 0);
  return count;
}

window.bench = {
  async add(name, count) {
    const mounted = await find(name).mount(root(), { upload: false });
    const files = makeFiles(count, 10_240);
    await calm();
    let longestTask = 0;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) longestTask = Math.max(longestTask, entry.duration);
    });
    observer.observe({ type: 'longtask' });
    const began = performance.now();
    const adding = mounted.add(files);
    const painted = calm();
    await adding;
    const result = (await painted) - began;
    await new Promise((resolve) => setTimeout(resolve, 100));
    observer.disconnect();
    return { painted: result, longestTask, nodes: countNodes(document) };
  },
  async upload(name, count, size) {
    const mounted = await find(name).mount(root(), { upload: true });
    if (!mounted.stored) return null;
    const files = makeFiles(count, size);
    await calm();
    const began = performance.now();
    const stored = mounted.stored(count);
    await mounted.add(files);
    await stored;
    return performance.now() - began;
  },
};

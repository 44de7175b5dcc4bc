import { scrollGrid } from './grid.js';
import type { ScrollResult } from './grid.js';
import { nextFrame, watchThread } from './thread.js';
import type { Mounted } from './widget.js';
import { WIDGETS } from './widgets.js';

/** Measurements that the runner calls in the page. Times in milliseconds. */
export interface AddResult {
  /** Until all files are in the list and painted, and the main thread is idle. */
  ready: number;
  longestTask: number;
  nodes: number;
}

export interface UploadResult {
  /** Until the response to the last file. */
  stored: number;
  longestTask: number;
  /** The largest number at any time. */
  nodes: number;
}

declare global {
  interface Window {
    bench: {
      add(widget: string, count: number): Promise<AddResult>;
      /** Null for a widget that uploads only to its maker's service. @param size null selects the file in `#big` */
      upload(widget: string, count: number, size: number | null): Promise<UploadResult | null>;
      /**
       * Measures our element from the choice of a file to its first request.
       *
       * @param isPreloaded the browser was idle before, so that the upload path is loaded
       */
      firstRequest(isPreloaded: boolean): Promise<number>;
      /** Scrolls through a grid of photos of our element. */
      scrollGrid(count: number): Promise<ScrollResult>;
    };
  }
}

const find = (name: string) => WIDGETS.find((widget) => widget.name === name)!;
const root = () => document.querySelector<HTMLElement>('#root')!;

/** Like a chosen file, it costs no memory: nothing is read before it is sent. */
const SMALL = 1024;

function makeFiles(count: number, size: number): File[] {
  const bytes = new Uint8Array(size).fill(7);
  return Array.from({ length: count }, (_, index) => new File([bytes], `file-${index}.bin`, { lastModified: index + 1 }));
}

/** Starts a new task, as choosing or dropping files does. */
const newTask = () => new Promise((resolve) => setTimeout(resolve));

const bigFile = (): File[] => [...document.querySelector<HTMLInputElement>('#big')!.files!];

function countNodes(at: ParentNode): number {
  let count = 0;
  for (const element of at.querySelectorAll('*')) count += 1 + (element.shadowRoot ? countNodes(element.shadowRoot) : 0);
  return count;
}

/** Waits until the page with the widget is idle. */
async function mount(name: string, options: { upload: boolean }): Promise<Mounted> {
  const mounted = await find(name).mount(root(), options);
  await watchThread().free();
  return mounted;
}

/** Resolves with the time at which a script sends the next request. */
const nextRequest = (): Promise<number> =>
  new Promise((resolve) => {
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (...args) {
      resolve(performance.now());
      XMLHttpRequest.prototype.send = send;
      return send.apply(this, args);
    };
  });

window.bench = {
  scrollGrid,
  async add(name, count) {
    const mounted = await mount(name, { upload: false });
    const files = makeFiles(count, SMALL);
    await newTask();
    const thread = watchThread();
    const began = performance.now();
    await mounted.add(files);
    do await nextFrame();
    while (mounted.listed() < count);
    const ready = (await thread.free()) - began;
    return { ready, longestTask: thread.longestTask, nodes: countNodes(document) };
  },
  async upload(name, count, size) {
    const mounted = await mount(name, { upload: true });
    if (!mounted.stored) return null;
    const files = size === null ? bigFile() : makeFiles(count, size);
    await newTask();
    const thread = watchThread();
    let nodes = 0;
    // Counting costs time, so it runs between frames and rarely.
    const counting = setInterval(() => (nodes = Math.max(nodes, countNodes(document))), 500);
    const began = performance.now();
    const all = mounted.stored(count);
    await mounted.add(files);
    await all;
    const stored = performance.now() - began;
    clearInterval(counting);
    await thread.free();
    return { stored, longestTask: thread.longestTask, nodes: Math.max(nodes, countNodes(document)) };
  },
  async firstRequest(isPreloaded) {
    if (!isPreloaded) Object.assign(window, { requestIdleCallback: () => 0 });
    const mounted = await mount('svc-uploader', { upload: true });
    const requested = nextRequest();
    await newTask();
    const began = performance.now();
    await mounted.add(makeFiles(1, SMALL));
    return (await requested) - began;
  },
};

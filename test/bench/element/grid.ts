import { nextFrame, watchThread } from './thread.js';

/** Different photos. Files with the same bytes are still decoded one by one. */
const PHOTOS = 6;
/** A photo of a phone: 12 megapixels. */
const [WIDTH, HEIGHT] = [4000, 3000];
/** Frames of each way of scrolling. */
const FRAMES = 240;

/** Longest tasks in milliseconds, 0 if all took less than 50 ms. */
export interface ScrollResult {
  /** By 60 pixels a frame, as with a wheel. */
  wheel: number;
  /** By several screens a frame, as in a fling. */
  fling: number;
  /** To other places every few frames, as with a dragged scrollbar. */
  jumps: number;
  /** Until the thumbnails of the last place are drawn, in milliseconds. */
  drawn: number;
}

async function takePhoto(hue: number): Promise<Blob> {
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext('2d')!;
  for (let shape = 0; shape < 3000; shape++) {
    context.fillStyle = `hsl(${hue + (shape % 60)} 60% ${20 + ((shape * 7) % 60)}%)`;
    context.fillRect((shape * 997) % WIDTH, (shape * 613) % HEIGHT, 40 + (shape % 300), 30 + (shape % 200));
  }
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
}

/** Scrolls through a grid of photos and measures the tasks of the main thread. */
export async function scrollGrid(count: number): Promise<ScrollResult> {
  await import(/* @vite-ignore */ `${location.origin}/dist/svc-uploader.js`);
  const photos = await Promise.all(Array.from({ length: PHOTOS }, (_, index) => takePhoto(index * 60)));
  const files = Array.from(
    { length: count },
    (_, index) => new File([photos[index % PHOTOS]!], `IMG_${index}.jpg`, { type: 'image/jpeg', lastModified: index }),
  );
  const element = document.createElement('svc-uploader');
  Object.assign(element, { appearance: 'grid', multiple: true, manual: true, token: 'svcup_bench', endpoint: location.origin });
  document.querySelector('#root')!.append(element);
  await element.addFiles(files);
  await element.updateComplete;
  const list = element.shadowRoot!.querySelector('[part=list]')!;
  const isDrawn = () => {
    const canvases = [...list.querySelectorAll('canvas')];
    return canvases.length > 0 && canvases.every((canvas) => canvas.classList.contains('drawn'));
  };
  const waitUntilDrawn = async () => {
    while (!isDrawn()) await nextFrame();
  };
  await waitUntilDrawn();
  const measure = async (way: string, positionOf: (frame: number) => number): Promise<number> => {
    performance.mark(way);
    const thread = watchThread();
    for (let frame = 0; frame < FRAMES; frame++) {
      list.scrollTop = positionOf(frame);
      await nextFrame();
    }
    await thread.free();
    return thread.longestTask;
  };
  const end = list.scrollHeight;
  const wheel = await measure('wheel', (frame) => frame * 60);
  const fling = await measure('fling', (frame) => frame * 2000);
  const jumps = await measure('jumps', (frame) => (Math.floor(frame / 8) * 7919 * 31) % end);
  performance.mark('end');
  list.scrollTop = end / 3;
  await nextFrame();
  await nextFrame();
  const began = performance.now();
  await waitUntilDrawn();
  return { wheel, fling, jumps, drawn: performance.now() - began };
}

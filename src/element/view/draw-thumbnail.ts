import { decodePicture } from '../../images/decode-picture.js';

/** Decoding is slow, so only two images are decoded at a time. Thumbnails are cached for rows that scroll back into view. */
const MAX_CONCURRENT = 2;
const CACHE_SIZE = 200;

/** JPEG from this size on are decoded small. Scaling large ones down would block the page, up to 100 ms for a photo. */
const LARGE_BYTES = 200_000;

/** An image that is read when its thumbnail is drawn. */
export interface RemoteImage {
  /** Reads the image; undefined if there is none. */
  read(): Promise<Blob | undefined>;
}

export type ImageSource = Blob | RemoteImage;

/** Weak references, so that a long-lived page does not keep the files of removed uploaders. */
const cache = new WeakMap<ImageSource, ImageBitmap>();
const cacheOrder: WeakRef<ImageSource>[] = [];
const pendingJobs: (() => Promise<void>)[] = [];
let runningJobs = 0;

/** Draws the centered square of an image, when its turn comes and the row still shows it. Draws nothing for other files. */
export function drawThumbnail(canvas: HTMLCanvasElement, source: ImageSource, isWanted: () => boolean): void {
  const cached = cache.get(source);
  if (cached !== undefined) return draw(canvas, cached);
  pendingJobs.push(async () => {
    if (!isWanted()) return;
    const bitmap = await decodeSquare(source, canvas.width).catch(() => undefined);
    if (bitmap === undefined) return;
    addToCache(source, bitmap);
    if (isWanted()) draw(canvas, bitmap);
  });
  return runNextJob();
}

function runNextJob(): void {
  // The newest job first, because it belongs to the row that the person scrolled to.
  const job = runningJobs < MAX_CONCURRENT ? pendingJobs.pop() : undefined;
  if (job === undefined) return;
  runningJobs += 1;
  void job().finally(() => {
    runningJobs -= 1;
    runNextJob();
  });
}

async function decodeSquare(source: ImageSource, side: number): Promise<ImageBitmap | undefined> {
  const blob = source instanceof Blob ? source : await source.read();
  if (blob === undefined) return undefined;
  const image = (await decodeLargePhoto(blob, side)) ?? (await createImageBitmap(blob));
  const edge = Math.min(image.width, image.height);
  const [x, y] = [(image.width - edge) / 2, (image.height - edge) / 2];
  try {
    return await createImageBitmap(image, x, y, edge, edge, { resizeWidth: side, resizeHeight: side, resizeQuality: 'medium' });
  } finally {
    image.close();
  }
}

async function decodeLargePhoto(blob: Blob, side: number): Promise<ImageBitmap | undefined> {
  if (blob.type !== 'image/jpeg' || blob.size < LARGE_BYTES || !('ImageDecoder' in globalThis)) return undefined;
  const picture = await decodePicture(blob, ({ width, height }) => side / Math.min(width, height)).catch(() => undefined);
  if (picture === undefined) return undefined;
  try {
    return await createImageBitmap(picture.source);
  } finally {
    picture.close();
  }
}

function addToCache(source: ImageSource, bitmap: ImageBitmap): void {
  cache.set(source, bitmap);
  cacheOrder.push(new WeakRef(source));
  if (cacheOrder.length <= CACHE_SIZE) return;
  const oldest = cacheOrder.shift()!.deref();
  if (oldest === undefined) return;
  cache.get(oldest)?.close();
  cache.delete(oldest);
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  const context = canvas.getContext('2d');
  context?.clearRect(0, 0, canvas.width, canvas.height);
  context?.drawImage(bitmap, 0, 0);
  canvas.classList.add('drawn');
}

/** Decoding is dear: two pictures at a time, and the smallest that will do are kept for rows that scroll back. */
const MAX_CONCURRENT = 2;
const CACHE_SIZE = 200;

/** Weakly: a page that lives long does not hold the files of uploaders that are gone. */
const cache = new WeakMap<File, ImageBitmap>();
const cacheOrder: WeakRef<File>[] = [];
const pendingJobs: (() => Promise<void>)[] = [];
let runningJobs = 0;

/** Draws a file's picture, cut to the square, when its turn comes and it is still wanted. A file that is no picture draws nothing. */
export function drawThumbnail(canvas: HTMLCanvasElement, file: File, isWanted: () => boolean): void {
  const ready = cache.get(file);
  if (ready !== undefined) return draw(canvas, ready);
  pendingJobs.push(async () => {
    if (!isWanted()) return;
    const bitmap = await shrink(file, canvas.width).catch(() => undefined);
    if (bitmap === undefined) return;
    addToCache(file, bitmap);
    if (isWanted()) draw(canvas, bitmap);
  });
  return runNextJob();
}

function runNextJob(): void {
  // The newest first: it is the row that the person scrolled to.
  const job = runningJobs < MAX_CONCURRENT ? pendingJobs.pop() : undefined;
  if (job === undefined) return;
  runningJobs += 1;
  void job().finally(() => {
    runningJobs -= 1;
    runNextJob();
  });
}

async function shrink(file: File, side: number): Promise<ImageBitmap> {
  const whole = await createImageBitmap(file);
  const edge = Math.min(whole.width, whole.height);
  const [x, y] = [(whole.width - edge) / 2, (whole.height - edge) / 2];
  try {
    return await createImageBitmap(whole, x, y, edge, edge, { resizeWidth: side, resizeHeight: side, resizeQuality: 'medium' });
  } finally {
    whole.close();
  }
}

function addToCache(file: File, bitmap: ImageBitmap): void {
  cache.set(file, bitmap);
  cacheOrder.push(new WeakRef(file));
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

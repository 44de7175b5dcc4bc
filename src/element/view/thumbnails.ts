/** Decoding is dear: two pictures at a time, and the smallest that will do are kept for rows that scroll back. */
const AT_ONCE = 2;
const KEPT = 200;

/** Weakly: a page that lives long does not hold the files of uploaders that are gone. */
const kept = new WeakMap<File, ImageBitmap>();
const order: WeakRef<File>[] = [];
const line: (() => Promise<void>)[] = [];
let running = 0;

/** Draws a file's picture, cut to the square, when its turn comes and it is still wanted. A file that is no picture draws nothing. */
export function drawThumbnail(canvas: HTMLCanvasElement, file: File, isWanted: () => boolean): void {
  const ready = kept.get(file);
  if (ready !== undefined) return draw(canvas, ready);
  line.push(async () => {
    if (!isWanted()) return;
    const bitmap = await shrink(file, canvas.width).catch(() => undefined);
    if (bitmap === undefined) return;
    keep(file, bitmap);
    if (isWanted()) draw(canvas, bitmap);
  });
  return next();
}

function next(): void {
  // The newest first: it is the row that the person scrolled to.
  const job = running < AT_ONCE ? line.pop() : undefined;
  if (job === undefined) return;
  running += 1;
  void job().finally(() => {
    running -= 1;
    next();
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

function keep(file: File, bitmap: ImageBitmap): void {
  kept.set(file, bitmap);
  order.push(new WeakRef(file));
  if (order.length <= KEPT) return;
  const oldest = order.shift()!.deref();
  if (oldest === undefined) return;
  kept.get(oldest)?.close();
  kept.delete(oldest);
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  const context = canvas.getContext('2d');
  context?.clearRect(0, 0, canvas.width, canvas.height);
  context?.drawImage(bitmap, 0, 0);
  canvas.classList.add('drawn');
}

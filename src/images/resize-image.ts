/** What a picture is to fit into, in pixels, and how well a JPEG or WebP is kept (0..1). */
export interface ResizeOptions {
  maxWidth: number | null;
  maxHeight: number | null;
  quality: number;
}

/** What a canvas can write. Others, and those that move, are left as they are. */
const WRITABLE = new Set(['image/jpeg', 'image/png', 'image/webp']);

/**
 * Makes a picture fit, upright. What fits already, cannot be read, moves, or would become larger is left as it is.
 * What the camera noted (Exif, XMP) is not taken along.
 */
export async function resizeImage(file: File, { maxWidth, maxHeight, quality }: ResizeOptions): Promise<File> {
  if (!WRITABLE.has(file.type) || (await isAnimated(file))) return file;
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined) return file;
  try {
    const scale = Math.min((maxWidth ?? Infinity) / picture.width, (maxHeight ?? Infinity) / picture.height);
    if (scale >= 1) return file;
    const width = Math.max(1, Math.round(picture.width * scale));
    const height = Math.max(1, Math.round(picture.height * scale));
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d')!;
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture, 0, 0, width, height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, file.type, quality));
    // A browser that cannot write the type writes PNG.
    if (blob?.type !== file.type || blob.size >= file.size) return file;
    return new File([blob], file.name, { type: file.type, lastModified: file.lastModified });
  } finally {
    picture.close();
  }
}

/** Animated PNG and WebP say so near their beginning. */
async function isAnimated(file: File): Promise<boolean> {
  const head = await file.slice(0, 4096).arrayBuffer();
  const text = new TextDecoder('latin1').decode(head);
  return file.type === 'image/png' ? text.includes('acTL') : file.type === 'image/webp' && text.includes('ANIM');
}

import { crc32 } from '../../../src/protocol/checksums/crc32.js';

/** Creates a picture with a red, a green, a blue and a white quarter. */
export async function createPicture(type: string, width = 40, height = 20): Promise<File> {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d')!;
  for (const [index, color] of ['#f00', '#0f0', '#00f', '#fff'].entries()) {
    context.fillStyle = color;
    context.fillRect(((index % 2) * width) / 2, (index < 2 ? 0 : height) / 2, width / 2, height / 2);
  }
  const blob = await new Promise<Blob>((resolve) => canvas.toBlob((result) => resolve(result!), type, 1));
  return new File([blob], `picture.${type.split('/')[1]!.replace('jpeg', 'jpg')}`, { type, lastModified: 1 });
}

/** Creates a JPEG that cameras would show with a quarter turn, and that says `PLACE` where a location would be. */
export async function turnedPhoto(width: number, height: number): Promise<File> {
  const exif = [
    [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 2, 0],
    [0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0],
    [0x25, 0x88, 4, 0, 1, 0, 0, 0, 38, 0, 0, 0],
    [0, 0, 0, 0],
    [1, 0, 2, 0, 5, 0, 3, 0, 0, 0, 56, 0, 0, 0, 0, 0, 0, 0],
    [...new TextEncoder().encode('PLACE'.padEnd(24, 'E'))],
  ].flat();
  const segment = [...new TextEncoder().encode('Exif\0\0'), ...exif];
  const jpeg = await createPicture('image/jpeg', width, height);
  const head = new Uint8Array([0xff, 0xd8, 0xff, 0xe1, 0, segment.length + 2, ...segment]);
  return new File([head, jpeg.slice(2)], 'photo.jpg', { type: 'image/jpeg', lastModified: 5 });
}

/** Creates the beginning of a JPEG without pixels. */
export const createJpegHeader = (width: number, height: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    [
      [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8],
      [height >> 8, height & 255, width >> 8, width & 255],
      [1, 1, 0x11, 0],
    ].flat(),
  );

/** Turns a PNG into an animation of one frame, with a chunk before its pixels. */
export async function createAnimation(png: File): Promise<File> {
  const bytes = new Uint8Array(await png.arrayBuffer());
  const numbers = (...all: number[]) => all.flatMap((one) => [one >>> 24, (one >>> 16) & 255, (one >>> 8) & 255, one & 255]);
  const chunk = (type: string, data: number[]) => {
    const content = Uint8Array.from([...new TextEncoder().encode(type), ...data]);
    return Uint8Array.from([...numbers(data.length), ...content, ...numbers(crc32(content))]);
  };
  const header = 33;
  const animation = chunk('acTL', numbers(1, 0));
  const frame = chunk('fcTL', [...numbers(0, 400, 200, 0, 0), 0, 1, 0, 1, 0, 0]);
  return new File([bytes.slice(0, header), animation, frame, bytes.slice(header)], 'moving.png', { type: png.type });
}

export const hasText = async (file: Blob, text: string): Promise<boolean> =>
  new TextDecoder('latin1').decode(await file.arrayBuffer()).includes(text);

/** Decodes a picture. Reads the color near each corner: top left, top right, bottom left, bottom right. */
export async function pixelsOf(
  file: Blob,
  colorSpace: PredefinedColorSpace = 'srgb',
): Promise<{ width: number; height: number; corners: number[][] }> {
  const bitmap = await createImageBitmap(file);
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d', { colorSpace })!;
  context.drawImage(bitmap, 0, 0);
  const read = (x: number, y: number) => Array.from(context.getImageData(x, y, 1, 1).data.slice(0, 3));
  const [right, bottom] = [width - 3, height - 3];
  return { width, height, corners: [read(2, 2), read(right, 2), read(2, bottom), read(right, bottom)] };
}

/** Holds pictures that are written back until `finish` is called, which is undefined until then. */
export function delayWriting(): { finish: (() => void) | undefined; restore(): void } {
  const { toBlob } = HTMLCanvasElement.prototype;
  const writing = {
    finish: undefined as (() => void) | undefined,
    restore: () => void (HTMLCanvasElement.prototype.toBlob = toBlob),
  };
  HTMLCanvasElement.prototype.toBlob = function (callback, ...options) {
    toBlob.call(this, (blob) => (writing.finish = () => callback(blob)), ...options);
  };
  return writing;
}

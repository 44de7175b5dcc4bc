/** Size of an image in pixels, as its header states it: before the photo is turned upright. */
export interface ImageSize {
  width: number;
  height: number;
}

/** Cameras write previews and profiles before the frame header of a JPEG. */
const HEAD_BYTES = 512 * 1024;

/** Reads the size from the header of a JPEG, PNG, WebP or AVIF, without decoding it. @returns undefined for other files */
export async function readImageSize(file: Blob): Promise<ImageSize | undefined> {
  const buffer = await file.slice(0, HEAD_BYTES).arrayBuffer();
  const view = new DataView(buffer);
  const text = new TextDecoder('latin1').decode(buffer);
  try {
    const size = readSize(view, text);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // The file ends inside its header.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readSize(view: DataView, text: string): ImageSize | undefined {
  if (text.startsWith('\xff\xd8')) return readJpeg(view);
  if (text.startsWith('PNG\r\n\x1a\n', 1)) return { width: view.getUint32(16), height: view.getUint32(20) };
  if (/^RIFF[^]{4}WEBP/.test(text)) return readWebp(view, text.slice(12, 16));
  // The first spatial extent of an AVIF file describes the image. Tiles of a large image have extents of their own, which are smaller.
  const boxes = text.startsWith('ftyp', 4) ? [...text.matchAll(/ispe\0{4}/g)] : [];
  const sizes = boxes.map(({ index }) => ({ width: view.getUint32(index + 8), height: view.getUint32(index + 12) }));
  return sizes.sort((one, other) => other.width * other.height - one.width * one.height)[0];
}

/** Skips segments up to the frame header. @see https://www.w3.org/Graphics/JPEG/itu-t81.pdf B.1 */
function readJpeg(view: DataView): ImageSize | undefined {
  let offset = 2;
  while (view.getUint8(offset) === 0xff) {
    const marker = view.getUint8(offset + 1);
    // 0xc4, 0xc8 and 0xcc are tables.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker % 4 !== 0;
    if (isFrame || marker === 0xc0) return { height: view.getUint16(offset + 5), width: view.getUint16(offset + 7) };
    offset += marker === 0xff ? 1 : 2 + view.getUint16(offset + 2);
  }
  return undefined;
}

/** @see https://developers.google.com/speed/webp/docs/riff_container */
function readWebp(view: DataView, chunk: string): ImageSize | undefined {
  if (chunk === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk === 'VP8X') {
    const read24 = (offset: number) => view.getUint16(offset, true) + view.getUint8(offset + 2) * 65_536 + 1;
    return { width: read24(24), height: read24(27) };
  }
  const bits = view.getUint32(21, true);
  return chunk === 'VP8L' ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : undefined;
}

import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { crc32 } from '../../src/protocol/checksums/crc32.js';

/** A photo as phones make it: stored lying down, red on the left, with orientation, location, comments and another colour profile. */
export async function photoWithLocation(): Promise<Buffer<ArrayBuffer>> {
  const half = (background: string) =>
    sharp({ create: { width: 400, height: 600, channels: 3, background } })
      .png()
      .toBuffer();
  const bytes = await sharp({ create: { width: 800, height: 600, channels: 3, background: '#1020ff' } })
    .composite([{ input: await half('#ff1010'), left: 0, top: 0 }])
    .withIccProfile('p3')
    .withExif({
      IFD0: { ImageDescription: 'secret place' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100', GPSLongitudeRef: 'W', GPSLongitude: '0/1 7/1 4366/100' },
    })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret>secret place</secret></x:xmpmeta>')
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  return Buffer.from(bytes);
}

/** A transparent image. */
export const emptyPng = async () =>
  new Uint8Array(
    await sharp({ create: { width: 80, height: 80, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
      .png()
      .toBuffer(),
  );

/** Images that a decoder must not trust: name, expected error, bytes. */
export const HOSTILE: [name: string, error: string, bytes: () => Promise<Buffer>][] = [
  ['900-megapixels.png', '413 IMAGE_TOO_LARGE', async () => hugePng(30_000)],
  ['truncated.jpg', '422 IMAGE_UNREADABLE', async () => (await photoWithLocation()).subarray(0, 4000)],
  ['truncated.png', '422 IMAGE_UNREADABLE', async () => (await noisePng()).subarray(0, 5000)],
  ['drawing.svg', '415 IMAGE_TYPE_UNSUPPORTED', async () => Buffer.from(SVG)],
  ['drawing-named.png', '415 IMAGE_TYPE_UNSUPPORTED', async () => Buffer.from(SVG)],
  ['text.jpg', '415 IMAGE_TYPE_UNSUPPORTED', async () => Buffer.from('plain text')],
  ['empty.jpg', '422 IMAGE_UNREADABLE', async () => Buffer.alloc(0)],
  [
    'scan.tiff',
    '415 IMAGE_TYPE_UNSUPPORTED',
    async () =>
      sharp(await noisePng())
        .tiff()
        .toBuffer(),
  ],
  ['page.pdf', '415 IMAGE_TYPE_UNSUPPORTED', async () => Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n')],
];

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>';

/** The first rows of a black PNG with one bit a pixel. The whole would have 110 kB, and 112 MB or more when it is decoded. */
function hugePng(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  const pixels = deflateSync(Buffer.alloc(100 * (Math.ceil(side / 8) + 1)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content) >>> 0);
  return Buffer.concat([length, content, checksum]);
}

const noisePng = () =>
  sharp({
    create: { width: 100, height: 100, channels: 3, background: 'gray', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
  })
    .png()
    .toBuffer();

/** A GIF with very many frames, the first of which has 16 × 16 pixels. */
export function gifWithFrames(count: number): Buffer<ArrayBuffer> {
  const screen = Buffer.from([...Buffer.from('GIF89a'), 16, 0, 16, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]);
  // 256 pixels of color 0: clear codes keep the code size at three bits.
  const frame = (side: number, data: number[]) =>
    Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, 0, 0, 0, 0, side, 0, side, 0, 0, 2, data.length, ...data, 0]);
  const first = frame(16, lzwZeros(256));
  const later = frame(1, lzwZeros(1));
  return Buffer.concat([screen, first, ...Array.from({ length: count - 1 }, () => later), Buffer.from([0x3b])]);
}

/** Encodes pixels of color 0 as GIF's LZW, with a clear code after every second pixel. */
function lzwZeros(pixels: number): number[] {
  const codes = Array.from({ length: Math.ceil(pixels / 2) }, (_, pair) => [4, 0, ...(pair * 2 + 1 < pixels ? [0] : [])]).flat();
  const bits = [...codes, 5].flatMap((code) => [code & 1, (code >> 1) & 1, (code >> 2) & 1]);
  return Array.from({ length: Math.ceil(bits.length / 8) }, (_, byte) =>
    bits.slice(byte * 8, byte * 8 + 8).reduce((sum, bit, position) => sum | (bit << position), 0),
  );
}

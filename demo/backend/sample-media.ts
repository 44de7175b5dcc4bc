import { crc32, deflateSync } from 'node:zlib';

type Color = readonly [red: number, green: number, blue: number];

/** Encodes a picture with one color at its top and another at its bottom (https://www.w3.org/TR/png-3/). Sizes are pixels. */
export function encodePng(width: number, height: number, top: Color, bottom: Color): Buffer<ArrayBuffer> {
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y++) {
    const share = y / (height - 1);
    const color = top.map((value, index) => Math.round(value + (bottom[index]! - value) * share));
    // Each row begins with its filter: none.
    const row = Buffer.alloc(1 + width * 3);
    for (let x = 0; x < width; x++) row.set(color, 1 + x * 3);
    rows.push(row);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits a channel, RGB.
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

const RATE = 8000;

/** Encodes a tone as WAV: 8 bits, mono, 8 kHz. */
export function encodeTone(hertz: number, seconds: number): Buffer<ArrayBuffer> {
  const samples = Buffer.from(
    Array.from({ length: RATE * seconds }, (_, n) => 128 + Math.round(40 * Math.sin((2 * Math.PI * hertz * n) / RATE))),
  );
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

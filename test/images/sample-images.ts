import { crc32 } from 'node:zlib';

/** Small images with a location, built byte by byte. Every location consists of 0xAB bytes or the words below. */
export const PLACE_BYTE = 0xab;
export const PLACE_WORDS = ['52,31.2N', 'Fortaleza'];

const bytes = (...parts: (string | number[] | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

/** Builds Exif: orientation 6, a GPS directory with a reference and a latitude of three rationals, a make, and a second directory. */
export function tiff(little: boolean): Uint8Array {
  const out = Buffer.alloc(160);
  const short = (at: number, value: number) => (little ? out.writeUInt16LE(value, at) : out.writeUInt16BE(value, at));
  const long = (at: number, value: number) => (little ? out.writeUInt32LE(value, at) : out.writeUInt32BE(value, at));
  const entry = (at: number, tag: number, type: number, count: number, value: number) => {
    short(at, tag);
    short(at + 2, type);
    long(at + 4, count);
    if (type === 3) short(at + 8, value);
    else long(at + 8, value);
  };
  out.write(little ? 'II*\0' : 'MM\0*', 'latin1');
  long(4, 8);
  short(8, 3);
  entry(10, 0x0112, 3, 1, 6);
  entry(22, 0x8825, 4, 1, 64);
  entry(34, 0x010f, 2, 3, 0x41420000);
  long(46, 130);
  short(64, 2);
  entry(66, 1, 2, 2, 0xabab0000);
  entry(78, 2, 5, 3, 100);
  out.fill(PLACE_BYTE, 100, 124);
  short(130, 1);
  entry(132, 0x0103, 3, 1, 6);
  return out;
}

/** Reads the tags of the first and the second directory. */
export function tagsOf(block: Uint8Array): { first: number[]; second: number[]; orientation: number | undefined } {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const little = block[0] === 0x49;
  const directory = (at: number) =>
    Array.from({ length: view.getUint16(at, little) }, (_, index) => view.getUint16(at + 2 + index * 12, little));
  const at = view.getUint32(4, little);
  const first = directory(at);
  const second = directory(view.getUint32(at + 2 + first.length * 12, little));
  const place = first.indexOf(0x0112);
  return { first, second, orientation: place < 0 ? undefined : view.getUint16(at + 2 + place * 12 + 8, little) };
}

export const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description exif:GPSLatitude="52,31.2N" dc:title="Kept"
  photoshop:City='Fortaleza'><exif:GPSLongitude>52,31.2N</exif:GPSLongitude><dc:format>image/jpeg</dc:format></rdf:Description></x:xmpmeta>`;

const segment = (marker: number, data: Uint8Array) =>
  bytes([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255], data);

export function jpeg(little = true): Uint8Array {
  const picture = bytes([0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0xd9]);
  const exif = segment(0xe1, bytes('Exif\0\0', tiff(little)));
  const xmp = segment(0xe1, bytes('http://ns.adobe.com/xap/1.0/\0', XMP));
  return bytes([0xff, 0xd8], exif, xmp, picture);
}

/** Builds a JPEG with an appended video that has a location of its own, as some phones write. */
export const jpegWithVideo = (): Uint8Array =>
  bytes(jpeg(), '\0\0\0\x18ftypmp42\0\0\0\0mp42isom', '\0\0\0\x1e\xa9xyz\0\x12\x15\xc7+52.3100+013.4000/', 'mdat');

const chunk = (type: string, data: Uint8Array): Uint8Array => {
  const body = bytes(type, data);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  crc.writeUInt32BE(crc32(body));
  return bytes(length, body, crc);
};

export function png(): Uint8Array {
  return bytes(
    '\x89PNG\r\n\x1a\n',
    chunk('IHDR', Buffer.alloc(13)),
    chunk('eXIf', tiff(false)),
    chunk('iTXt', bytes('XML:com.adobe.xmp\0\0\0\0\0', XMP)),
    chunk('zTXt', bytes('Raw profile type exif\0\0', Buffer.alloc(20, PLACE_BYTE))),
    chunk('IDAT', bytes([1, 2, 3])),
    chunk('IEND', bytes()),
  );
}

/** Lists the types of the chunks with a valid checksum, in order. */
export function validChunks(file: Uint8Array): string[] {
  const buffer = Buffer.from(file);
  const found: string[] = [];
  for (let at = 8; at < buffer.length;) {
    const length = buffer.readUInt32BE(at);
    const body = buffer.subarray(at + 4, at + 8 + length);
    if (crc32(body) === buffer.readUInt32BE(at + 8 + length)) found.push(body.toString('latin1', 0, 4));
    at += 12 + length;
  }
  return found;
}

export function webp(): Uint8Array {
  const block = tiff(true);
  return bytes('RIFF', [0, 1, 0, 0], 'WEBP', 'VP8X', [10, 0, 0, 0], Buffer.alloc(10), 'EXIF', [block.length, 0, 0, 0], block);
}

const box = (type: string, ...parts: (string | number[] | Uint8Array)[]): Uint8Array => {
  const data = bytes(...parts);
  return bytes([0, 0, (data.length + 8) >> 8, (data.length + 8) & 255], type, data);
};

/** Builds a HEIC with two items. The second is an Exif block without the usual marker before it. */
export function heic(): Uint8Array {
  const block = bytes([0, 0, 0, 0], tiff(false));
  const info = (id: number, type: string) => box('infe', [2, 0, 0, 0, 0, id, 0, 0], type, '\0');
  const infos = box('iinf', [0, 0, 0, 0, 0, 2], info(1, 'hvc1'), info(2, 'Exif'));
  const place = (id: number, at: number, length: number) => [0, id, 0, 0, 0, 1, 0, 0, at >> 8, at & 255, 0, 0, 0, length];
  const head = (at: number) =>
    bytes(
      box('ftyp', 'heic\0\0\0\0mif1'),
      box('meta', [0, 0, 0, 0], infos, box('iloc', [0, 0, 0, 0, 0x44, 0, 0, 2], place(1, at, 4), place(2, at + 4, block.length))),
    );
  const start = head(0).length + 8;
  return bytes(head(start), box('mdat', [9, 9, 9, 9], block));
}

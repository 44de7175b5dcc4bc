import { describe, expect, it } from 'vitest';
import { clearLocation } from '../../src/images/clear-location.js';
import { prepareImage } from '../../src/images/prepare-image.js';
import { jpeg, tagsOf } from './sample-images.js';

/** Builds a JPEG header followed by a text that is crafted to be slow. */
const photo = (text: string) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.from(text, 'latin1')]);
const MANY = 200_000;

// With quadratic work these tests would not finish.
describe('clearLocation for a photo that is crafted to be slow', () => {
  it.each([
    ['packets that never end', '<x:xmpmeta>'.repeat(MANY)],
    ['elements that never end', `<x:xmpmeta>${'<exif:GPSLatitude>'.repeat(MANY)}</x:xmpmeta>`],
    ['elements of many names', `<x:xmpmeta>${Array.from({ length: MANY }, (_, i) => `<exif:GPS${i}>`).join('')}</x:xmpmeta>`],
    ['videos that never end', `\xa9xyz....+${'1'.repeat(MANY)}`.repeat(5)],
  ])('finishes: %s', (_, text) => expect(clearLocation(photo(text))).toBe(false));

  it('still finds the first closing tag of each element', () => {
    const file = photo(
      '<x:xmpmeta><exif:GPSa>1<exif:GPSa>2</exif:GPSa >3<exif:GPSb>4</exif:GPSc></exif:GPSb>5</exif:GPSa></x:xmpmeta>',
    );
    expect(clearLocation(file)).toBe(true);
    expect(file.toString('latin1').slice(3).replaceAll(/ +/g, '')).toBe('<x:xmpmeta>35</exif:GPSa></x:xmpmeta>');
  });
});

const GPS = 0x8825;
const MAX_ENTRIES = 65_535;

/** Builds a little-endian TIFF directory. */
function directory(tag: number, { count = MAX_ENTRIES, type = 0, values = 0, value = 0 } = {}): Buffer {
  const out = Buffer.alloc(2 + count * 12 + 4);
  out.writeUInt16LE(count);
  for (let at = 2; at < out.length - 4; at += 12) {
    out.writeUInt16LE(tag, at);
    out.writeUInt16LE(type, at + 2);
    out.writeUInt32LE(values, at + 4);
    out.writeUInt32LE(value, at + 8);
  }
  return out;
}

const block = (offset: number) => {
  const out = Buffer.from('Exif\0\0II*\0\0\0\0\0', 'latin1');
  out.writeUInt32LE(offset, 10);
  return out;
};

/** Builds blocks that all point to the bytes after the last one. */
const blocks = (count: number) => Buffer.concat(Array.from({ length: count }, (_, at) => block((count - at) * 14 - 6)));

/** Builds empty directories, each of which points to the next. */
const chain = (count: number) => {
  const out = Buffer.alloc(8 + count * 6);
  for (let at = 0; at < count; at++) out.writeUInt32LE(8 + (at + 1) * 6, 8 + at * 6 + 2);
  return out;
};

// Without the work budget each of these takes minutes.
describe('clearLocation for a photo whose parts overlap', () => {
  const photos: [string, () => Uint8Array[]][] = [
    ['blocks that point to one directory', () => [blocks(100_000), directory(1)]],
    ['blocks that point to one chain of directories', () => [blocks(100_000), chain(100_000).subarray(8)]],
    [
      'GPS values that each span the whole file',
      () => [
        block(8),
        directory(GPS, { count: 1, value: 26 }),
        directory(2, { type: 1, values: 3_999_000, value: 787_000 }),
        Buffer.alloc(4_000_000),
      ],
    ],
    ['a directory that contains only GPS entries', () => [block(8), directory(GPS)]],
  ];

  it.each(photos)('refuses %s', async (_, parts) => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), ...parts()]);
    expect(() => clearLocation(bytes)).toThrow(RangeError);
    const file = new File([bytes], 'a.jpg', { type: 'image/jpeg' });
    expect(await prepareImage(file, { stripLocation: true, resize: null })).toMatchObject({
      rejection: { code: 'CONTENT_MISMATCH' },
    });
  });

  it('skips extents without bytes', () => {
    const box = (type: string, ...data: Buffer[]) => {
      const body = Buffer.concat(data);
      const head = Buffer.alloc(8);
      head.writeUInt32BE(body.length + 8);
      head.write(type, 4, 'latin1');
      return Buffer.concat([head, body]);
    };
    // Version 2 of the box with all widths 0. Each item has an id, a method, a reference and a number of extents.
    const item = Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0xff, 0xff]);
    const items = Buffer.concat(Array.from({ length: 100_000 }, () => item));
    const locations = box('iloc', Buffer.from([2, 0, 0, 0, 0, 0, 0, 1, 0x86, 0xa0]), items);
    const infos = box('iinf', Buffer.alloc(6));
    const file = Buffer.concat([box('ftyp', Buffer.from('heic')), box('meta', Buffer.alloc(4), infos, locations)]);
    expect(clearLocation(file)).toBe(false);
  });

  it('still reads a photo to which a hundred whole photos are appended', () => {
    const file = Buffer.concat(Array.from({ length: 100 }, () => jpeg()));
    expect(clearLocation(file)).toBe(true);
    const found = [...file.toString('latin1').matchAll(/Exif\0\0/g)].map(({ index }) => tagsOf(file.subarray(index + 6)).first);
    expect(found).toHaveLength(100);
    expect(found.flat()).not.toContain(GPS);
  });
});

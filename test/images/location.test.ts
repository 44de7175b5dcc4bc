import { describe, expect, it } from 'vitest';
import { clearLocation } from '../../src/images/clear-location.js';
import { PLACE_BYTE, PLACE_WORDS, heic, jpeg, jpegWithVideo, png, validChunks, tagsOf, tiff, webp } from './sample-images.js';

const latin1 = (file: Uint8Array) => Buffer.from(file).toString('latin1');
const containsLocation = (file: Uint8Array) =>
  file.includes(PLACE_BYTE) || PLACE_WORDS.some((word) => latin1(file).includes(word));

describe.each([
  ['a little-endian JPEG', () => jpeg(true)],
  ['a big-endian JPEG', () => jpeg(false)],
  ['a PNG', png],
  ['a WebP', webp],
  ['a HEIC', heic],
  ['a TIFF', () => tiff(true)],
])('clearLocation for %s', (_name, make) => {
  it('removes the location and keeps the length', () => {
    const file = make();
    const { length } = file;
    expect(containsLocation(file)).toBe(true);
    expect(clearLocation(file)).toBe(true);
    expect(containsLocation(file)).toBe(false);
    expect(file.length).toBe(length);
  });

  it('keeps the orientation, the other tags and the next directory', () => {
    const file = make();
    clearLocation(file);
    const at = Math.max(latin1(file).indexOf('II*\0'), latin1(file).indexOf('MM\0*'));
    expect(tagsOf(file.subarray(at))).toEqual({ first: [0x0112, 0x010f], second: [0x0103], orientation: 6 });
  });

  it('finds nothing the second time', () => {
    const file = make();
    clearLocation(file);
    expect(clearLocation(file)).toBe(false);
  });
});

describe('clearLocation', () => {
  it('keeps the rest of the XMP', () => {
    const file = jpeg();
    clearLocation(file);
    expect(latin1(file)).toContain('dc:title="Kept"');
    expect(latin1(file)).toContain('<dc:format>image/jpeg</dc:format></rdf:Description>');
    expect(latin1(file)).not.toMatch(/GPS|photoshop:City/);
  });

  it('keeps the checksum of every PNG chunk valid', () => {
    const file = png();
    clearLocation(file);
    expect(validChunks(file)).toEqual(['IHDR', 'eXIf', 'iTXt', 'tEXt', 'IDAT', 'IEND']);
  });

  it('removes the location from the video that phones append to photos', () => {
    const file = jpegWithVideo();
    clearLocation(file);
    expect(latin1(file)).not.toContain('52.3100');
    for (const box of ['ftypmp42', 'free', 'mdat']) expect(latin1(file).slice(jpeg().length)).toContain(box);
  });

  it('changes no file that is no photo or has no location', () => {
    const text = new TextEncoder().encode('Exif\0\0II*\0 is how Exif begins');
    expect(clearLocation(text)).toBe(false);
    const bare = jpeg().filter((_, index) => index < 2);
    expect(clearLocation(new Uint8Array([...bare, 0xff, 0xdb, 0, 2, 0xff, 0xd9]))).toBe(false);
  });

  it('does not throw for truncated files and wrong pointers', () => {
    for (const make of [() => jpeg(), png, webp, heic]) {
      const whole = new Uint8Array(make());
      for (let end = 0; end < whole.length; end += 3) expect(() => clearLocation(whole.slice(0, end))).not.toThrow();
      for (let at = 0; at < whole.length; at += 2) {
        const broken = whole.slice();
        broken.fill(0xff, at, at + 4);
        expect(() => clearLocation(broken)).not.toThrow();
      }
    }
  });
});

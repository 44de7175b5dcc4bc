import { describe, expect, it } from 'vitest';
import { clearLocation } from '../../src/images/clear-location.js';
import { PLACE_BYTE, PLACE_WORDS, heic, jpeg, jpegWithFilm, png, soundChunks, tagsOf, tiff, webp } from './sample-images.js';

const latin1 = (file: Uint8Array) => Buffer.from(file).toString('latin1');
const tellsPlace = (file: Uint8Array) => file.includes(PLACE_BYTE) || PLACE_WORDS.some((word) => latin1(file).includes(word));

describe.each([
  ['a JPEG in the order of Intel', () => jpeg(true)],
  ['a JPEG in the order of Motorola', () => jpeg(false)],
  ['a PNG', png],
  ['a WebP', webp],
  ['a HEIC', heic],
  ['a TIFF', () => tiff(true)],
])('taking the place out of %s', (_name, make) => {
  it('leaves nothing of it, and its length as it was', () => {
    const file = make();
    const { length } = file;
    expect(tellsPlace(file)).toBe(true);
    expect(clearLocation(file)).toBe(true);
    expect(tellsPlace(file)).toBe(false);
    expect(file.length).toBe(length);
  });

  it('keeps the orientation, the other tags and the directory after', () => {
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

describe('taking the place out', () => {
  it('keeps what else XMP tells', () => {
    const file = jpeg();
    clearLocation(file);
    expect(latin1(file)).toContain('dc:title="Kept"');
    expect(latin1(file)).toContain('<dc:format>image/jpeg</dc:format></rdf:Description>');
    expect(latin1(file)).not.toMatch(/GPS|photoshop:City/);
  });

  it('keeps every chunk of a PNG sound', () => {
    const file = png();
    clearLocation(file);
    expect(soundChunks(file)).toEqual(['IHDR', 'eXIf', 'iTXt', 'tEXt', 'IDAT', 'IEND']);
  });

  it('reaches the film that phones append', () => {
    const file = jpegWithFilm();
    clearLocation(file);
    expect(latin1(file)).not.toContain('52.3100');
    for (const box of ['ftypmp42', 'free', 'mdat']) expect(latin1(file).slice(jpeg().length)).toContain(box);
  });

  it('leaves alone what is no photo, and one without a place', () => {
    const text = new TextEncoder().encode('Exif\0\0II*\0 is how Exif begins');
    expect(clearLocation(text)).toBe(false);
    const bare = jpeg().filter((_, index) => index < 2);
    expect(clearLocation(new Uint8Array([...bare, 0xff, 0xdb, 0, 2, 0xff, 0xd9]))).toBe(false);
  });

  it('survives files that end anywhere and pointers that lead astray', () => {
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

import { describe, expect, it } from 'vitest';
import { clearLocation } from '../../../src/engine/photo/location.js';

/** A JPEG by its first bytes, and a text that is made to be slow. */
const photo = (text: string) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.from(text, 'latin1')]);
const MANY = 200_000;

// Work that grew with the square of a photo's length would not end here.
describe('taking the place out of a photo that is made to be slow', () => {
  it.each([
    ['packets that never end', '<x:xmpmeta>'.repeat(MANY)],
    ['elements that never end', `<x:xmpmeta>${'<exif:GPSLatitude>'.repeat(MANY)}</x:xmpmeta>`],
    ['elements of many names', `<x:xmpmeta>${Array.from({ length: MANY }, (_, i) => `<exif:GPS${i}>`).join('')}</x:xmpmeta>`],
    ['films that never end', `\xa9xyz....+${'1'.repeat(MANY)}`.repeat(5)],
  ])('comes to an end: %s', (_, text) => expect(clearLocation(photo(text))).toBe(false));

  it('still finds the first closing tag of each element', () => {
    const file = photo(
      '<x:xmpmeta><exif:GPSa>1<exif:GPSa>2</exif:GPSa >3<exif:GPSb>4</exif:GPSc></exif:GPSb>5</exif:GPSa></x:xmpmeta>',
    );
    expect(clearLocation(file)).toBe(true);
    expect(file.toString('latin1').slice(3).replaceAll(/ +/g, '')).toBe('<x:xmpmeta>35</exif:GPSa></x:xmpmeta>');
  });
});

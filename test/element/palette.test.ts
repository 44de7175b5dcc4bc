import { describe, expect, it } from 'vitest';
import { MIN_CONTRAST, contrast, derivePalette, paint, textOn } from '../../src/element/colors/palette.js';
import type { Rgb } from '../../src/element/colors/palette.js';

const greys: Rgb[] = Array.from({ length: 16 }, (_, index) => [index * 17, index * 17, index * 17]);
const hues: Rgb[] = [
  [118, 118, 118],
  [0, 120, 212],
  [0, 170, 0],
  [255, 0, 0],
  [0, 128, 0],
  [0, 0, 255],
  [255, 255, 0],
  [107, 99, 117],
  [37, 99, 235],
];
const backgrounds = [...greys, ...hues];
const accents = [undefined, [255, 224, 0], [128, 128, 128], [37, 99, 235]] as (Rgb | undefined)[];

/** Calls back with every palette of these colors. */
function forEachPage(check: (palette: ReturnType<typeof derivePalette>, surfaces: Rgb[], name: string) => void): void {
  for (const background of backgrounds)
    for (const text of backgrounds)
      for (const accent of accents) {
        const palette = derivePalette({ text, background, accent });
        const surfaces = [background, paint(background, palette.fill), paint(background, palette.tint)];
        check(palette, surfaces, `${text} on ${background}, accent ${accent}`);
      }
}

describe('the colors of the element', () => {
  it('reach a contrast of 4.5 as texts and 3 as lines and icons, whatever the colors of the page', () => {
    const failures: string[] = [];
    forEachPage((palette, surfaces, name) => {
      for (const surface of surfaces) {
        for (const color of ['text', 'muted', 'danger'] as const)
          if (contrast(palette[color], surface) < MIN_CONTRAST.text) failures.push(`${color}: ${name}`);
        for (const color of ['success', 'edge'] as const)
          if (contrast(palette[color], surface) < MIN_CONTRAST.graphics) failures.push(`${color}: ${name}`);
      }
      if (contrast(palette.accent, surfaces[0]!) < MIN_CONTRAST.graphics) failures.push(`accent: ${name}`);
      if (contrast(textOn(palette.accent), palette.accent) < MIN_CONTRAST.text) failures.push(`text on accent: ${name}`);
    });
    expect(failures.slice(0, 5)).toEqual([]);
  });

  it('are those of the page where they are readable', () => {
    const accent: Rgb = [15, 110, 92];
    expect(derivePalette({ text: [33, 37, 41], background: [255, 255, 255], accent })).toMatchObject({
      text: [33, 37, 41],
      accent,
    });
    expect(derivePalette({ text: [107, 99, 117], background: [255, 255, 255] }).text).toEqual([107, 99, 117]);
  });

  it('replace a text color that is not readable itself', () => {
    const background: Rgb = [128, 128, 128];
    expect(derivePalette({ text: [255, 255, 255], background }).text).toEqual([0, 0, 0]);
  });
});

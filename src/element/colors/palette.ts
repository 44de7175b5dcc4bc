/** Red, green and blue in sRGB, from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Smallest contrast of text, and of lines and icons that carry a meaning (WCAG 2.2, 1.4.3 and 1.4.11). */
export const MIN_CONTRAST = { text: 4.5, graphics: 3 } as const;

/** A color with its opacity, from 0 to 1. */
export type Color = readonly [color: Rgb, opacity: number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
const BLUE: Rgb = [37, 99, 235];
const RED: Rgb = [220, 38, 38];
const GREEN: Rgb = [21, 145, 63];

const STEP = 0.02;

const linear = (channel: number): number => {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};
const luminance = ([red, green, blue]: Rgb): number => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);

/** Computes the contrast of two colors, from 1 to 21. @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Mixes two colors. @param share share of the second one, from 0 to 1 */
export const mix = (one: Rgb, other: Rgb, share: number): Rgb =>
  one.map((channel, index) => Math.round(channel + (other[index]! - channel) * share)) as unknown as Rgb;

/** Mixes a translucent color into an opaque one with an opacity of 8 bits, as browsers paint it. */
export const paint = (below: Rgb, [color, opacity]: Color): Rgb => mix(below, color, Math.round(opacity * 255) / 255);

const moreReadable = (background: Rgb): Rgb => (contrast(BLACK, background) > contrast(WHITE, background) ? BLACK : WHITE);

/** The colors of a page around the element. */
export interface MeasuredColors {
  text: Rgb;
  background: Rgb;
  /** The accent that the page sets; undefined if it sets none. */
  accent?: Rgb | undefined;
}

export interface Palette {
  text: Rgb;
  muted: Rgb;
  danger: Rgb;
  success: Rgb;
  accent: Rgb;
  /** Borders of controls. */
  edge: Rgb;
  /** Backgrounds. They are translucent, so that they suit a background that the page sets. */
  fill: Color;
  fillHover: Color;
  fillActive: Color;
  /** Background while files are dragged over the element. */
  tint: Color;
}

/**
 * Derives the colors of the element from those of the page. Every text reaches a contrast of 4.5 on the page and on the element's own
 * backgrounds, and every border and icon 3. Each color stays as close to its ideal as that allows.
 */
export function derivePalette({ text: pageText, background, accent: pageAccent }: MeasuredColors): Palette {
  const isReadable = contrast(pageText, background) >= MIN_CONTRAST.text;
  const text = isReadable ? pageText : moreReadable(background);
  const step = luminance(text) > luminance(background) ? 1 : -1;
  /** Browsers round each channel up or down. This is the result with less contrast to the text. */
  const paintAtWorst = (color: Color): Rgb =>
    paint(background, color).map((channel) => Math.min(255, Math.max(0, channel + step))) as unknown as Rgb;
  /** Makes a color as opaque as the text on it allows. */
  const surface = (color: Rgb, opacity: number): Color => {
    for (let rest = opacity; rest > 0; rest -= STEP / 2)
      if (contrast(text, paintAtWorst([color, rest])) >= MIN_CONTRAST.text) return [color, rest];
    return [color, 0];
  };
  /** Mixes text into a color, from `share` on, until it is visible on all surfaces. */
  const readable = (color: Rgb, share: number, minimum: number, surfaces: readonly Rgb[]): Rgb => {
    for (let more = share; more < 1; more += STEP) {
      const found = mix(color, text, more);
      if (surfaces.every((one) => contrast(found, one) >= minimum)) return found;
    }
    return text;
  };
  const fill = surface(text, 0.05);
  const accent = readable(pageAccent ?? BLUE, pageAccent ? 0 : 0.24, MIN_CONTRAST.graphics, [background, paintAtWorst(fill)]);
  const tint = surface(accent, 0.08);
  const surfaces = [background, paintAtWorst(fill), paintAtWorst(tint)];
  return {
    text,
    muted: readable(background, 0.68, MIN_CONTRAST.text, surfaces),
    danger: readable(RED, 0.28, MIN_CONTRAST.text, surfaces),
    success: readable(GREEN, 0.28, MIN_CONTRAST.graphics, surfaces),
    accent,
    edge: readable(background, 0.46, MIN_CONTRAST.graphics, surfaces),
    fill,
    fillHover: surface(text, 0.09),
    fillActive: surface(text, 0.14),
    tint,
  };
}

/** Returns black or white, whichever is easier to read on a color. */
export const textOn = moreReadable;

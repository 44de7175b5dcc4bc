import { derivePalette, mix, textOn } from './palette.js';
import type { Color, Palette, Rgb } from './palette.js';

/** CSS custom properties by name. */
export type Properties = Readonly<Record<string, string>>;

/** Reads a computed color. A browser writes colors of other spaces in their own notation, so a canvas converts them. */
function parseColor(css: string): Color | undefined {
  const [, red, green, blue, opacity = '1'] = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(css) ?? [];
  if (red !== undefined) return [[Number(red), Number(green), Number(blue)], Number(opacity)];
  if (css === '' || !CSS.supports('color', css)) return undefined;
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (context === null) return undefined;
  context.fillStyle = css;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0, a = 0] = context.getImageData(0, 0, 1, 1).data;
  return [[r, g, b], a / 255];
}

/** Returns the element around another one as it is painted: its slot, its parent, or the host of its shadow tree. */
export const parentOf = (element: Element): Element | null =>
  element.assignedSlot ?? element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host ?? null;

/**
 * Finds the color behind an element.
 *
 * @returns undefined if there is an image or a gradient, whose color is unknown
 */
function readBackground(host: Element, canvas: Rgb): Rgb | undefined {
  const layers: Color[] = [];
  for (let element: Element | null = host; element !== null; element = parentOf(element)) {
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    if (backgroundImage !== 'none') return undefined;
    const layer = parseColor(backgroundColor);
    if (layer === undefined) return undefined;
    layers.push(layer);
    if (layer[1] === 1) break;
  }
  return layers.reduceRight<Rgb>((below, [color, opacity]) => mix(below, color, opacity), canvas);
}

const toCss = (color: Rgb | Color): string =>
  color.length === 2 ? `rgba(${color[0].join(', ')}, ${color[1].toFixed(2)})` : `rgb(${color.join(', ')})`;

const PROPERTIES: readonly [name: string, color: keyof Palette][] = [
  ['--_page-text', 'text'],
  ['--_page-muted', 'muted'],
  ['--_page-danger', 'danger'],
  ['--_page-success', 'success'],
  ['--_page-edge', 'edge'],
  ['--_page-fill', 'fill'],
  ['--_page-fill-hover', 'fillHover'],
  ['--_page-fill-active', 'fillActive'],
  ['--_page-tint', 'tint'],
];

/** Properties that return a color to that of the style sheet. */
const NO_COLORS: Properties = Object.fromEntries([['--_page-background', ''], ...PROPERTIES.map(([name]) => [name, ''])]);

/** Measures the colors of the page around the element. @returns the custom properties of the element's colors */
export function readPageColors(host: HTMLElement): Properties {
  const style = getComputedStyle(host);
  const isAuto = (style.accentColor || 'auto') === 'auto';
  const pageAccent = isAuto ? undefined : parseColor(style.accentColor)?.[0];
  const text = parseColor(style.color);
  // The system color follows the color scheme of the element.
  const probe = host.shadowRoot?.querySelector('.hidden');
  const canvas = (probe && parseColor(getComputedStyle(probe).backgroundColor)?.[0]) ?? ([255, 255, 255] as const);
  const background = matchMedia('(forced-colors: active)').matches ? undefined : readBackground(host, canvas);
  if (text === undefined || background === undefined)
    return {
      ...NO_COLORS,
      '--_page-accent': isAuto ? '' : style.accentColor,
      '--_page-on-accent': pageAccent ? toCss(textOn(pageAccent)) : '',
    };
  const palette = derivePalette({ text: mix(background, ...text), background, accent: pageAccent });
  const ownAccent = parseColor(style.getPropertyValue('--svc-uploader-accent').trim())?.[0];
  const colors = PROPERTIES.map(([name, color]) => [name, toCss(palette[color])]);
  // A page that sets its accent expects exactly this color where it is visible enough.
  return {
    ...Object.fromEntries(colors),
    '--_page-background': toCss(background),
    '--_page-accent': toCss(palette.accent),
    '--_page-on-accent': toCss(textOn(ownAccent ?? palette.accent)),
  };
}

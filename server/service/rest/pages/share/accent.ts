/** WCAG 2.2, 1.4.3: contrast of text. */
const MIN_CONTRAST = 4.5;
/** Backgrounds of `--card` in form-style.ts. */
const CARDS = { light: '#ffffff', dark: '#181b24' } as const;

type Rgb = [red: number, green: number, blue: number];

const parse = (color: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as Rgb;
const write = (rgb: Rgb): string => `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast of two colors, 1 to 21. */
export function contrast(first: string, second: string): number {
  const [darker, lighter] = [luminance(parse(first)), luminance(parse(second))].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Mixes a color with black or white until it is readable on the card. */
function readable(color: string, scheme: keyof typeof CARDS): string {
  const target = scheme === 'light' ? 0 : 255;
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = write(parse(color).map((value) => value + (target - value) * share) as Rgb);
    if (contrast(mixed, CARDS[scheme]) >= MIN_CONTRAST) return mixed;
  }
  return scheme === 'light' ? '#000000' : '#ffffff';
}

/** Returns CSS rules for the color of an owner. Links and buttons stay readable, whatever the color is. @param accent `#rrggbb` */
export function accentRules(accent: string): string {
  const rule = (scheme: keyof typeof CARDS): string => {
    const color = readable(accent, scheme);
    const text = contrast(color, '#ffffff') >= contrast(color, '#000000') ? '#ffffff' : '#000000';
    return `:root{--accent:${color};--hover:color-mix(in srgb,${color} 85%,${text === '#ffffff' ? '#000' : '#fff'});--on-accent:${text};--svc-uploader-accent:${color}}`;
  };
  return `${rule('light')}@media(prefers-color-scheme:dark){${rule('dark')}}`;
}

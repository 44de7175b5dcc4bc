/** Themes of the element: custom properties, and parts for everything that has no property. Visitors copy them from the code sample. */

/** CSS properties and custom properties with their values. */
export type Declarations = Readonly<Record<string, string>>;

export interface Theme {
  /** Declarations of the element itself. */
  host: Declarations;
  /** Declarations of its parts, by name. */
  parts: Readonly<Record<string, Declarations>>;
}

/** The accent of the demo, for `color-mix`. CSS cannot read `accent-color`. */
const PAGE_ACCENT = 'light-dark(#0b6b62, #5fd4c4)';

export const THEMES: Readonly<Record<string, Theme>> = {
  dense: {
    host: {
      'font-size': '0.8125rem',
      '--svc-uploader-radius': '3px',
      '--svc-uploader-row-height': '44px',
    },
    parts: {
      dropzone: { 'min-block-size': '0', 'padding-block': '0.625rem', gap: '0.375rem' },
      'file-selector-button': { 'border-radius': '3px' },
      thumbnail: { 'inline-size': '1.875rem', 'block-size': '1.875rem', 'border-radius': '2px', 'justify-self': 'center' },
      name: { 'font-weight': '500' },
    },
  },
  soft: {
    host: {
      '--svc-uploader-accent': 'light-dark(#94396b, #f2a7cf)',
      '--svc-uploader-background': 'color-mix(in oklab, var(--svc-uploader-accent) 8%, transparent)',
      '--svc-uploader-fill': 'color-mix(in oklab, var(--svc-uploader-accent) 8%, transparent)',
      '--svc-uploader-border-color': 'color-mix(in oklab, var(--svc-uploader-accent) 22%, transparent)',
      '--svc-uploader-button-background': 'var(--svc-uploader-accent)',
      '--svc-uploader-button-color': 'light-dark(#fff, #34091f)',
      '--svc-uploader-radius': '20px',
      '--svc-uploader-row-height': '64px',
    },
    parts: {
      dropzone: { padding: '1.25rem 1rem', border: '0' },
      'file-selector-button': { padding: '0.5rem 1.25rem', border: '0', 'border-radius': '99px' },
      thumbnail: { 'border-radius': '50%' },
    },
  },
  night: {
    host: {
      padding: '1.25rem',
      border: '1px solid #30343c',
      'border-radius': '20px',
      background: 'linear-gradient(160deg, #1d2129, #12141a)',
      color: '#f2f3f5',
      'color-scheme': 'dark',
      '--svc-uploader-accent': '#8fb8ff',
      '--svc-uploader-background': 'rgb(255 255 255 / 4%)',
      '--svc-uploader-button-background': '#f2f3f5',
      '--svc-uploader-button-color': '#12141a',
      '--svc-uploader-radius': '10px',
    },
    parts: {
      label: { 'font-weight': '600', 'letter-spacing': '-0.01em' },
      hint: { color: '#a9b0bb' },
      dropzone: { 'border-color': '#4a505b' },
      'file-selector-button': { border: '0' },
    },
  },
};

const writeRule = (selector: string, declarations: Declarations): string => {
  const lines = Object.entries(declarations).map(([name, value]) => `  ${name}: ${value};`);
  return lines.length === 0 ? '' : `${selector} {\n${lines.join('\n')}\n}`;
};

/** Writes a theme and additional properties as one style sheet. @returns '' if there are no declarations */
export function styleSheet(selector: string, theme: string, properties: Declarations): string {
  const { host, parts } = THEMES[theme] ?? { host: {}, parts: {} };
  const declarations: Record<string, string> = { ...host, ...properties };
  if (declarations['--svc-uploader-background']?.includes('-accent')) declarations['--svc-uploader-accent'] ??= PAGE_ACCENT;
  const rules = [
    writeRule(selector, declarations),
    ...Object.entries(parts).map(([part, partDeclarations]) => writeRule(`${selector}::part(${part})`, partDeclarations)),
  ];
  return rules.filter(Boolean).join('\n');
}

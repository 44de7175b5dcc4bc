import type { Localizer, MessageKey } from './localizer.js';

/** Extensions of one type by the extension that people know. */
const SYNONYMS: Readonly<Record<string, string>> = { jpeg: 'jpg', tiff: 'tif', htm: 'html', mpg: 'mpeg' };

/** Names the types of extensions in the order of the list, each once: `JPG` for `jpg` and `jpeg`. */
export const nameTypes = (extensions: readonly string[]): string[] => [
  ...new Set(extensions.map((extension) => (SYNONYMS[extension] ?? extension).toUpperCase())),
];

const GROUPS: Readonly<Record<string, MessageKey>> = { 'image/*': 'images', 'video/*': 'videos', 'audio/*': 'audioFiles' };

/** Extensions by media type or by its last word, unless that is the extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  plain: 'txt',
  quicktime: 'mov',
  msword: 'doc',
  'ms-excel': 'xls',
  document: 'docx',
  sheet: 'xlsx',
  presentation: 'pptx',
};

/** Names the entries of an `accept` attribute: `images` for `image/*`, `PDF` for `application/pdf` and `.pdf`. */
export function nameAccepted(accept: readonly string[], localizer: Localizer): string[] {
  const names = accept.flatMap((entry) => {
    const group = GROUPS[entry];
    if (group) return localizer.text(group);
    if (entry.startsWith('.')) return nameTypes([entry.slice(1)]);
    if (entry.endsWith('/*')) return entry;
    // `image/svg+xml` is SVG.
    const word = entry.split(/[/.]/).at(-1)!.replace(/^x-/, '').split('+')[0]!;
    return nameTypes([EXTENSIONS[entry] ?? EXTENSIONS[word] ?? word]);
  });
  return [...new Set(names)];
}

/** Extensions of one type by the extension that people know. */
const SYNONYMS: Readonly<Record<string, string>> = { jpeg: 'jpg', tiff: 'tif', htm: 'html', mpg: 'mpeg' };

/** Names the types of extensions in the order of the list, each once: `JPG` for `jpg` and `jpeg`. */
export const nameTypes = (extensions: readonly string[]): string[] => [
  ...new Set(extensions.map((extension) => (SYNONYMS[extension] ?? extension).toUpperCase())),
];

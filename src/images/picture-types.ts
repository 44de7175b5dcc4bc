const JPEG = 'image/jpeg';

/** Types that a canvas can write, with their usual extension. A browser that cannot write WebP writes PNG instead. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  [JPEG, 'jpg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
]);

export const isWritable = (type: string): boolean => EXTENSIONS.has(type);

/** Returns the type in which a changed picture is written: the wanted one, else that of the file, else JPEG. */
export const writtenType = (file: File, wanted: string | null): string => wanted ?? (isWritable(file.type) ? file.type : JPEG);

/** Returns the name of a file whose type changed. The extension says which type it has. */
export const renameForType = ({ name, type }: File, newType: string): string =>
  type === newType ? name : `${name.replace(/\.[^.]*$/, '')}.${EXTENSIONS.get(newType) ?? 'png'}`;

/** Returns whether a picture needs a background: a JPEG has no transparency, and black would replace it. */
export const needsBackground = (type: string): boolean => type === JPEG;

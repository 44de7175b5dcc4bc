import { getExtension } from '../../protocol/extensions.js';

/** Extensions by kind of file. A kind has a color of its own in the grid. */
const EXTENSIONS = {
  pdf: 'pdf',
  document: 'doc docx docm dot dotx odt ott pages rtf',
  sheet: 'xls xlsx xlsm xlsb ods csv tsv numbers',
  slides: 'ppt pptx pptm pps ppsx odp key',
  picture: 'jpg jpeg png gif webp avif bmp tif tiff heic heif svg ico psd ai raw cr2 cr3 nef arw dng',
  audio: 'mp3 m4a aac wav flac ogg oga opus aif aiff wma mid midi',
  video: 'mp4 m4v mov avi mkv webm wmv flv mpg mpeg ogv 3gp',
  archive: 'zip 7z rar tar gz tgz bz2 xz zst iso dmg',
  code: 'html htm css js mjs ts tsx jsx json xml yml yaml sql py rb php java c h cpp cs go rs sh',
} as const;

export type FileKind = keyof typeof EXTENSIONS | 'other';

const kindByExtension: ReadonlyMap<string, FileKind> = new Map(
  Object.entries(EXTENSIONS).flatMap(([kind, extensions]) =>
    extensions.split(' ').map((extension) => [extension, kind as FileKind] as const),
  ),
);

/** Returns the kind of a file by its name. */
export const fileKind = (name: string): FileKind => kindByExtension.get(getExtension(name)) ?? 'other';

/** Colors of the kinds. White text on them has a contrast of at least 4.5. */
export const KIND_COLORS: Readonly<Record<FileKind, string>> = {
  pdf: '#c4291d',
  document: '#1f5fd0',
  sheet: '#1a7a42',
  slides: '#b4470b',
  picture: '#0f7285',
  audio: '#8a33c2',
  video: '#b3256e',
  archive: '#7a5a00',
  code: '#45536b',
  other: '#5b6472',
};

import { getExtension } from '../../protocol/extensions.js';

// The first bytes of formats whose beginning is fixed. Files with other extensions are not checked.

interface Format {
  extensions: readonly string[];
  /** Alternatives of [offset, bytes as Latin-1]. */
  magic: readonly (readonly [number, string])[];
}

const ZIP: Format['magic'] = [
  [0, 'PK\x03\x04'],
  [0, 'PK\x05\x06'],
  [0, 'PK\x07\x08'],
];
const OLE: Format['magic'] = [[0, '\xd0\xcf\x11\xe0']];

const FORMATS: readonly Format[] = [
  { extensions: ['png', 'apng'], magic: [[0, '\x89PNG\r\n\x1a\n']] },
  { extensions: ['jpg', 'jpeg', 'jpe', 'jfif'], magic: [[0, '\xff\xd8\xff']] },
  { extensions: ['gif'], magic: [[0, 'GIF8']] },
  { extensions: ['webp'], magic: [[8, 'WEBP']] },
  { extensions: ['bmp'], magic: [[0, 'BM']] },
  {
    extensions: ['tif', 'tiff'],
    magic: [
      [0, 'II*\0'],
      [0, 'MM\0*'],
    ],
  },
  {
    extensions: ['avif', 'heic', 'heif', 'mp4', 'm4v', 'm4a', 'mov'],
    magic: [
      [4, 'ftyp'],
      [4, 'moov'],
      [4, 'mdat'],
      [4, 'wide'],
      [4, 'free'],
    ],
  },
  { extensions: ['webm', 'mkv'], magic: [[0, '\x1aE\xdf\xa3']] },
  { extensions: ['wav'], magic: [[8, 'WAVE']] },
  { extensions: ['ogg', 'oga', 'ogv', 'opus'], magic: [[0, 'OggS']] },
  {
    extensions: ['flac'],
    magic: [
      [0, 'fLaC'],
      [0, 'ID3'],
    ],
  },
  { extensions: ['pdf'], magic: [[0, '%PDF-']] },
  { extensions: ['zip', 'odt', 'ods', 'odp', 'epub', 'jar', 'apk'], magic: ZIP },
  { extensions: ['doc', 'xls', 'ppt', 'msi'], magic: OLE },
  // Office wraps files with a password in OLE: [MS-OFFCRYPTO] 1.3.
  { extensions: ['docx', 'xlsx', 'pptx'], magic: [...ZIP, ...OLE] },
  { extensions: ['gz', 'tgz'], magic: [[0, '\x1f\x8b']] },
  { extensions: ['7z'], magic: [[0, '7z\xbc\xaf\x27\x1c']] },
  { extensions: ['rar'], magic: [[0, 'Rar!\x1a\x07']] },
  { extensions: ['exe', 'dll'], magic: [[0, 'MZ']] },
  { extensions: ['woff'], magic: [[0, 'wOFF']] },
  { extensions: ['woff2'], magic: [[0, 'wOF2']] },
];

const HEAD_BYTES = 16;

const hasMagic = (head: string, { magic }: Format): boolean => magic.some(([offset, bytes]) => head.startsWith(bytes, offset));

/**
 * Compares the extension of a file with its first bytes.
 * @returns the extension and the one that was found ('' for an unknown format); undefined if they agree or cannot be checked
 * @throws DOMException if the file cannot be read
 */
export async function findTypeMismatch(file: File): Promise<{ extension: string; found: string } | undefined> {
  const extension = getExtension(file.name);
  const stated = FORMATS.find(({ extensions }) => extensions.includes(extension));
  const head = String.fromCharCode(...new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  if (!stated || hasMagic(head, stated)) return undefined;
  return { extension, found: FORMATS.find((format) => hasMagic(head, format))?.extensions[0] ?? '' };
}

import type { FileRecord, TokenMinter } from '../../server/helper/index.js';

/** One entry of a form. */
export interface ReceivedEntry {
  name: string;
  value: string;
  /** For fields with paths: the record of the file, or null if no such file is stored. */
  file?: FileRecord | null;
}

export interface ReceivedForm {
  encoding: string;
  entries: ReceivedEntry[];
}

/** A form that cannot be read. The visitor sees the message. */
export class FormError extends Error {
  constructor(
    readonly status: 400 | 413,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Fields with paths, and the folder of each. A path in another folder belongs to another visitor. */
const PATH_FIELDS: Readonly<Record<string, string>> = { portrait: 'demo/portraits/', documents: 'demo/documents/' };
const MAX_BODY_BYTES = 1024 ** 2;

/** Reads a form of either encoding and checks every path in it. @throws FormError, or BlobError of the minter */
export async function receiveForm(request: Request, minter: TokenMinter): Promise<ReceivedForm> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!(length <= MAX_BODY_BYTES)) throw new FormError(413, 'The form is larger than 1 MiB.');
  const form = await request.formData().catch((cause: unknown) => {
    throw new FormError(400, 'The form is incomplete or has an unknown encoding.', { cause });
  });
  const entries = await Promise.all([...form].map(([name, value]) => checkEntry(name, value, minter)));
  return { encoding: request.headers.get('content-type')?.split(';')[0] ?? '', entries };
}

async function checkEntry(name: string, value: FormDataEntryValue, minter: TokenMinter): Promise<ReceivedEntry> {
  // Without JavaScript, a native file input sends the bytes. The demo does not store them.
  if (typeof value !== 'string') return { name, value: `${value.name} (${value.size} bytes, sent with the form)` };
  const folder = Object.hasOwn(PATH_FIELDS, name) ? PATH_FIELDS[name] : undefined;
  if (folder === undefined || value === '') return { name, value };
  return { name, value, file: value.startsWith(folder) ? await minter.file(value) : null };
}

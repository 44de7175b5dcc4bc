import type { FileRecord, TokenMinter } from '../../server/helper/index.js';

/** One entry of the form, and what the storage says of it where it claims to be a stored file. */
export interface Received {
  name: string;
  value: string;
  /** For fields that carry paths: the record, or null when no such file is stored. */
  file?: FileRecord | null;
}

/** A form that cannot be read. The visitor sees its message. */
export class FormError extends Error {
  constructor(
    readonly status: 400 | 413,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Fields whose values are paths, and the folder that each may name files of: a path from elsewhere is somebody else's file. */
const PATH_FIELDS: Readonly<Record<string, string>> = { portrait: 'demo/portraits/', documents: 'demo/documents/' };
const MAX_BODY = 1024 ** 2;

/** Reads a submitted form of either encoding and checks every path in it. @throws FormError, or BlobError of the minter */
export async function receive(request: Request, minter: TokenMinter): Promise<{ encoding: string; entries: Received[] }> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!(length <= MAX_BODY)) throw new FormError(413, 'The form is too long.');
  const form = await request.formData().catch((cause: unknown) => {
    throw new FormError(400, 'The form is incomplete or has an unknown encoding.', { cause });
  });
  const entries = await Promise.all(
    [...form].map(async ([name, value]): Promise<Received> => {
      // Without JavaScript a native file input sends the bytes themselves; this demo stores none.
      if (typeof value !== 'string') return { name, value: `${value.name} (${value.size} bytes, sent with the form)` };
      const folder = Object.hasOwn(PATH_FIELDS, name) ? PATH_FIELDS[name] : undefined;
      if (folder === undefined || value === '') return { name, value };
      return { name, value, file: value.startsWith(folder) ? await minter.file(value) : null };
    }),
  );
  return { encoding: request.headers.get('content-type')?.split(';')[0] ?? '', entries };
}

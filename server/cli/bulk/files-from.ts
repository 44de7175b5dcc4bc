import { createReadStream } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { toS3Error, S3Error } from '../../../src/s3/errors.js';
import { fileSource } from '../../../src/s3/node/walk.js';
import type { SourceFile } from '../../../src/s3/types.js';

/** The paths of a list, one a line, below a directory; `-` reads the list from standard input. */
export async function* filesFrom(list: string, root: string, wanted: (path: string) => boolean): AsyncGenerator<SourceFile> {
  for await (const line of linesOf(list)) {
    const path = isAbsolute(line) ? relative(root, line) : relative('.', line);
    const key = path.split(sep).join('/');
    if (!wanted(key)) continue;
    try {
      if (key.split('/').includes('..')) throw new S3Error('NameUnsafe', `${line} does not lie below ${root}.`);
      // A list may name a file twice.
      const { unique: _, ...file } = fileSource(join(root, path), key);
      yield file;
    } catch (error) {
      yield { path: key, size: 0, problem: toS3Error(error) };
    }
  }
}

/** Lines that are not empty. */
export async function* linesOf(list: string): AsyncGenerator<string> {
  const input = list === '-' ? process.stdin : createReadStream(list);
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) if (line !== '') yield line;
}

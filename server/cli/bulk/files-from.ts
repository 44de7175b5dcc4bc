import { createReadStream } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { S3Error, toS3Error } from '../../../src/s3/errors.js';
import { fileSource } from '../../../src/s3/node/walk.js';
import type { SourceFile } from '../../../src/s3/types.js';
import { standardInput } from './standard-input.js';

/** A list of names: `-` is standard input. */
export interface NameList {
  file: string;
  /** Ends the reading. */
  signal: AbortSignal | undefined;
  /** Names end in a zero byte, not in a line break. */
  zero: boolean;
}

export const listOf = (flags: { filesFrom?: string; null?: true }, run: { signal?: AbortSignal }): NameList | undefined =>
  flags.filesFrom === undefined ? undefined : { file: flags.filesFrom, signal: run.signal, zero: flags.null === true };

/** The paths of a list, below a directory. */
export async function* filesFrom(list: NameList, root: string, wanted: (path: string) => boolean): AsyncGenerator<SourceFile> {
  for await (const line of entriesOf(list, () => true)) {
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

/** The names of a list that are wanted; empty ones are none. */
export async function* entriesOf(list: NameList, wanted: (name: string) => boolean): AsyncGenerator<string> {
  const input = list.file === '-' ? standardInput(list.signal) : createReadStream(list.file);
  const end = list.zero ? '\0' : '\n';
  let rest = '';
  for await (const text of input.setEncoding('utf8') as AsyncIterable<string>) {
    const names = (rest + text).split(end);
    rest = names.pop()!;
    for (const name of names) if (isName(name)) yield trimmed(name);
  }
  if (isName(rest)) yield trimmed(rest);

  function isName(name: string): boolean {
    return trimmed(name) !== '' && wanted(trimmed(name));
  }
  function trimmed(name: string): string {
    return list.zero ? name : name.replace(/\r$/, '');
  }
}

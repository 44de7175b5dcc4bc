import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { S3Error } from '../../../src/bulk/errors.js';
import { printable, shellWord } from './format.js';
import { parseSpot } from './locations.js';

/** What a place says, in a name that is taken to the letter, where other tools look for what matches. */
const WILD = /[*?]/;

/**
 * What to do where nothing has the name that was typed, and it looks like a pattern: a key may be called so, and nothing is deleted by a guess.
 * @param commandFor the same command, for the folder that was meant @returns undefined for other names, and for those that are there
 */
export function patternAdvice(text: string, commandFor: (folder: string) => string): string | undefined {
  const spot = parseSpot(text);
  const name = spot.kind === 's3' ? spot.prefix : text;
  const at = name.search(WILD);
  if (at < 0 || (spot.kind === 'local' && existsSync(spot.path))) return undefined;
  const slash = Math.max(...['/', spot.kind === 's3' ? '/' : sep].map((one) => name.lastIndexOf(one, at)));
  const above = name.slice(0, slash + 1);
  const folder = spot.kind === 's3' ? `s3://${spot.bucket}/${above}` : above || '.';
  const command = `${commandFor(shellWord(folder))} --include ${shellWord(`/${name.slice(slash + 1)}`)}`;
  return printable(
    `A name is taken to the letter, * and ? as well. What matches a pattern: svc-blob ${command} (without that slash, at any depth).`,
  );
}

/** Where a run found nothing to do, such a name was no name. @throws S3Error `NothingThere` */
export function refuseIdle(found: number, text: string, advice: string | undefined): void {
  if (advice !== undefined && found === 0)
    throw new S3Error('NothingThere', `There is nothing of the name ${text}, or nothing of it is wanted.`);
}

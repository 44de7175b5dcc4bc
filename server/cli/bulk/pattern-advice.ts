import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { S3Error } from '../../../src/bulk/errors.js';
import { escapeControls, quoteIfNeeded } from './format.js';
import { parseLocation } from './locations.js';

/** Characters that are literal in names here, but match other names in other tools. */
const WILDCARDS = /[*?]/;

/**
 * Returns advice for a name that looks like a pattern. The name stays literal: keys may contain `*`, and a wrong guess could delete
 * other objects.
 * @param commandFor returns the same command for the folder of the pattern
 * @returns undefined for other names, and for existing local files
 */
export function adviseOnPattern(text: string, commandFor: (folder: string) => string): string | undefined {
  const location = parseLocation(text);
  const name = location.kind === 's3' ? location.prefix : text;
  const wildcard = name.search(WILDCARDS);
  if (wildcard < 0 || (location.kind === 'local' && existsSync(location.path))) return undefined;
  const slash = Math.max(...['/', location.kind === 's3' ? '/' : sep].map((separator) => name.lastIndexOf(separator, wildcard)));
  const parent = name.slice(0, slash + 1);
  const folder = location.kind === 's3' ? `s3://${location.bucket}/${parent}` : parent || '.';
  const command = `${commandFor(quoteIfNeeded(folder))} --include ${quoteIfNeeded(`/${name.slice(slash + 1)}`)}`;
  return escapeControls(
    `* and ? are literal in names. To match a pattern, run: svc-blob ${command} (without its leading slash, the pattern matches at any depth).`,
  );
}

/**
 * Rejects a name that looks like a pattern if the run found nothing.
 * @param foundCount number of files that the run found
 * @throws S3Error `NothingThere`
 */
export function requireMatch(foundCount: number, text: string, advice: string | undefined): void {
  if (advice !== undefined && foundCount === 0)
    throw new S3Error('NothingThere', `Nothing is named ${text}, or the filters exclude it.`);
}

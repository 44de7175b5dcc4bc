import type { IncomingHttpHeaders } from 'node:http';
import { validationError } from '../../../src/protocol/errors.js';
import type { Conditions, StoredFile } from '../storage/blob-storage.js';

// Conditional requests: https://www.rfc-editor.org/rfc/rfc9110#section-13. HTTP dates have whole seconds.

const toSeconds = (time: number): number => Math.floor(time / 1000);
const parseDate = (header: string | undefined): number | undefined => {
  const time = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(time) ? undefined : toSeconds(time);
};

function matchesEtag(header: string, etag: string, isWeak: boolean): boolean {
  return header.split(',').some((item) => {
    const text = item.trim();
    return text === '*' || (isWeak ? text.replace(/^W\//, '') : text) === `"${etag}"`;
  });
}

/** Checks If-Match and If-Unmodified-Since. */
export function failsPrecondition(headers: IncomingHttpHeaders, file: StoredFile): boolean {
  if (headers['if-match'] !== undefined) return !matchesEtag(headers['if-match'], file.etag, false);
  const since = parseDate(headers['if-unmodified-since']);
  return since !== undefined && toSeconds(file.updatedAt) > since;
}

/** Checks If-None-Match and If-Modified-Since. */
export function isModified(headers: IncomingHttpHeaders, file: StoredFile): boolean {
  if (headers['if-none-match'] !== undefined) return !matchesEtag(headers['if-none-match'], file.etag, true);
  const since = parseDate(headers['if-modified-since']);
  return since === undefined || toSeconds(file.updatedAt) > since;
}

/** Reads the conditions of a write. The storage checks them when it commits. @throws `VALIDATION_ERROR` unless each is `*` or one ETag. */
export function writeConditionsOf(headers: NodeJS.Dict<string | string[]>): Pick<Conditions, 'ifMatch' | 'ifNoneMatch'> {
  const conditionOf = (name: string): string | undefined => {
    const header = headers[name];
    if (header === undefined) return undefined;
    const match = /^(?:(\*)|"([^",]*)")$/.exec(String(header).trim());
    if (!match) throw validationError(name, `must be * or one ETag in quotes; got ${String(header)}`);
    return match[1] ?? match[2]!;
  };
  const [ifMatch, ifNoneMatch] = [conditionOf('if-match'), conditionOf('if-none-match')];
  return { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch !== undefined && { ifNoneMatch }) };
}

/** Returns whether `If-Range` names the current version of the file. Otherwise the range must be ignored. */
export function matchesIfRange(headers: IncomingHttpHeaders, file: StoredFile): boolean {
  const header = headers['if-range'];
  if (typeof header !== 'string') return true;
  return header.startsWith('"') ? matchesEtag(header, file.etag, false) : parseDate(header) === toSeconds(file.updatedAt);
}

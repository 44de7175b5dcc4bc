import type { IncomingHttpHeaders } from 'node:http';
import { invalid } from '../../../src/protocol/errors.js';
import type { Conditions, StoredFile } from '../storage/blobs.js';

// Conditional requests: https://www.rfc-editor.org/rfc/rfc9110#section-13. Dates have whole seconds.

const seconds = (time: number): number => Math.floor(time / 1000);
const date = (header: string | undefined): number | undefined => {
  const time = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(time) ? undefined : seconds(time);
};

function names(header: string, etag: string, weak: boolean): boolean {
  return header.split(',').some((one) => {
    const text = one.trim();
    return text === '*' || (weak ? text.replace(/^W\//, '') : text) === `"${etag}"`;
  });
}

/** If-Match and If-Unmodified-Since. */
export function failsPrecondition(headers: IncomingHttpHeaders, file: StoredFile): boolean {
  if (headers['if-match'] !== undefined) return !names(headers['if-match'], file.etag, false);
  const since = date(headers['if-unmodified-since']);
  return since !== undefined && seconds(file.updatedAt) > since;
}

/** If-None-Match and If-Modified-Since. */
export function isModified(headers: IncomingHttpHeaders, file: StoredFile): boolean {
  if (headers['if-none-match'] !== undefined) return !names(headers['if-none-match'], file.etag, true);
  const since = date(headers['if-modified-since']);
  return since === undefined || seconds(file.updatedAt) > since;
}

/** Of a write, judged when it commits: `*` or one etag each. @throws `VALIDATION_ERROR`. */
export function writeConditionsOf(headers: NodeJS.Dict<string | string[]>): Pick<Conditions, 'ifMatch' | 'ifNoneMatch'> {
  const stated = (name: string): string | undefined => {
    const header = headers[name];
    if (header === undefined) return undefined;
    const one = /^(?:(\*)|"([^",]*)")$/.exec(String(header).trim());
    if (!one) throw invalid(name, 'must be * or one etag in quotes');
    return one[1] ?? one[2]!;
  };
  const [ifMatch, ifNoneMatch] = [stated('if-match'), stated('if-none-match')];
  return { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch !== undefined && { ifNoneMatch }) };
}

/** If-Range: a range of another version of the file is of no use. */
export function matchesIfRange(headers: IncomingHttpHeaders, file: StoredFile): boolean {
  const header = headers['if-range'];
  if (typeof header !== 'string') return true;
  return header.startsWith('"') ? names(header, file.etag, false) : date(header) === seconds(file.updatedAt);
}

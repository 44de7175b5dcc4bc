import { BlobError, invalid } from '../../../../src/protocol/errors.js';

/** One part of a form, whole in memory. */
export interface FormPart {
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Buffer;
}

const HEADERS_MAX = 16 * 1024;

/** The boundary a `multipart/form-data` type names. @throws `VALIDATION_ERROR`. */
export function boundaryOf(contentType: string): string {
  const match = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw invalid('content-type', 'must be multipart/form-data with a boundary');
  return boundary;
}

/**
 * Cuts a form into its parts (https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1), with the headers of each, which parsers for streams
 * keep to themselves. The parts are views of the body.
 * @throws `VALIDATION_ERROR`, path `body`, when it is no form or has more parts than `maxParts`.
 */
export function splitForm(body: Buffer, boundary: string, maxParts: number): FormPart[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  // The first delimiter may stand at the very beginning, without the line break.
  let at = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2)) ? -2 : body.indexOf(delimiter);
  if (at === -1) throw invalid('body', 'does not hold the boundary that content-type names');
  for (;;) {
    let start = at + delimiter.length;
    // A boundary may be followed by blanks.
    while (body[start] === 0x20 || body[start] === 0x09) start += 1;
    const mark = body.toString('latin1', start, start + 2);
    if (mark === '--') return parts;
    if (mark !== '\r\n') throw invalid('body', 'has a broken boundary');
    const end = body.indexOf(delimiter, start);
    if (end === -1) throw invalid('body', 'ends before its last boundary');
    if (parts.length === maxParts) throw invalid('body', `has more than ${maxParts} parts`, { limit: maxParts });
    parts.push(splitPart(body.subarray(start + 2, end)));
    at = end;
  }
}

function splitPart(part: Buffer): FormPart {
  const blank = part.subarray(0, 2).toString('latin1') === '\r\n' ? -2 : part.indexOf('\r\n\r\n');
  if (blank === -1 || blank > HEADERS_MAX) throw invalid('body', 'has a part without the blank line after its headers');
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const line of part.toString('utf8', 0, Math.max(blank, 0)).split('\r\n')) {
    if (line === '') continue;
    const match = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/s.exec(line);
    if (!match) throw new BlobError('VALIDATION_ERROR', 'body: has a part with a broken header', { path: 'body' });
    headers[match[1]!.toLowerCase()] = match[2]!.trim();
  }
  return { headers, body: part.subarray(blank + 4) };
}

import { validationError } from '../../../../src/protocol/errors.js';

/** A part of a form in memory. */
export interface FormPart {
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Buffer;
}

const MAX_HEADER_BYTES = 16 * 1024;
const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/gi;

/** Reads the boundary of a `multipart/form-data` content type. @throws `VALIDATION_ERROR` */
export function parseBoundary(contentType: string): string {
  const isForm = /^multipart\/form-data\s*;/i.test(contentType);
  const match = isForm ? [...contentType.matchAll(BOUNDARY)].at(-1) : undefined;
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw validationError('content-type', 'must be multipart/form-data with a boundary');
  return boundary;
}

/**
 * Splits a form into its parts (https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1). Unlike busboy it returns the headers of each part. The parts are
 * views of the body.
 * @throws `VALIDATION_ERROR`, path `body`, for a malformed form or too many parts.
 */
export function splitForm(body: Buffer, boundary: string, maxParts: number): FormPart[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  // The first delimiter may be at the start, without a line break.
  let delimiterStart = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2)) ? -2 : body.indexOf(delimiter);
  if (delimiterStart === -1) throw validationError('body', 'must contain the boundary of content-type');
  for (;;) {
    let start = delimiterStart + delimiter.length;
    // White space may follow a boundary.
    while (body[start] === 0x20 || body[start] === 0x09) start += 1;
    const ending = body.toString('latin1', start, start + 2);
    if (ending === '--') return parts;
    if (ending !== '\r\n') throw validationError('body', 'must not contain a malformed boundary');
    const end = body.indexOf(delimiter, start);
    if (end === -1) throw validationError('body', 'must end with the closing boundary');
    if (parts.length === maxParts)
      throw validationError('body', `must have at most ${maxParts} parts`, { details: { limit: maxParts } });
    parts.push(splitPart(body.subarray(start + 2, end)));
    delimiterStart = end;
  }
}

function splitPart(part: Buffer): FormPart {
  const headersEnd = part.subarray(0, 2).toString('latin1') === '\r\n' ? -2 : part.indexOf('\r\n\r\n');
  if (headersEnd === -1 || headersEnd > MAX_HEADER_BYTES)
    throw validationError('body', 'must have an empty line after the headers of each part');
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const line of part.toString('utf8', 0, Math.max(headersEnd, 0)).split('\r\n')) {
    if (line === '') continue;
    const match = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/s.exec(line);
    if (!match) throw validationError('body', 'must not contain a part with a malformed header');
    headers[match[1]!.toLowerCase()] = match[2]!.trim();
  }
  return { headers, body: part.subarray(headersEnd + 4) };
}

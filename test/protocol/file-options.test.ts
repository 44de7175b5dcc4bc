import { describe, expect, it } from 'vitest';
import { BlobError } from '../../src/protocol/errors.js';
import { parseFileOptions } from '../../src/protocol/file-options.js';

const NOW = Date.UTC(2030, 0, 1);

/** Returns the error that the options cause. @throws Error if they are valid */
function getError(options: Parameters<typeof parseFileOptions>[0]): BlobError {
  try {
    parseFileOptions(options, NOW);
  } catch (error) {
    return error as BlobError;
  }
  throw new Error(`The options ${JSON.stringify(options)} were accepted.`);
}

describe('parsing the options of a file', () => {
  it('returns only the stated options, with null for those that are removed', () => {
    expect(parseFileOptions({}, NOW)).toEqual({});
    expect(parseFileOptions({ cache_control: null, expires_at: '2030-01-31T12:00:00Z', metadata: { order: '42' } }, NOW)).toEqual(
      { cacheControl: null, expiresAt: Date.UTC(2030, 0, 31, 12), metadata: { order: '42' } },
    );
  });

  it('encodes the file name of a Content-Disposition', () => {
    expect(parseFileOptions({ content_disposition: 'Attachment; filename="ü.pdf"' }, NOW)).toEqual({
      contentDisposition: `attachment; filename="_.pdf"; filename*=UTF-8''%C3%BC.pdf`,
    });
  });

  it.each([
    [{ cache_control: 'no-store\r\nx: y' }, 'cache_control', 'must be a header value'],
    [{ content_disposition: 'download' }, 'content_disposition', 'must be "inline" or "attachment"'],
    [{ content_disposition: 'inline; filename="a\nb"' }, 'content_disposition', 'must not contain control characters'],
    [{ content_disposition: `inline; filename="${'日'.repeat(400)}"` }, 'content_disposition', 'must have a shorter filename'],
    [{ expires_at: '2030-01-31' }, 'expires_at', 'must be an ISO 8601 time with a time zone'],
    [{ expires_at: '2029-12-31T23:59:59Z' }, 'expires_at', 'must be in the future; got 2029-12-31T23:59:59.000Z'],
    [{ metadata: { 'A B': 'c' } }, 'metadata', 'contains the entry "A B", which must be named with'],
    [{ metadata: { a: 'b\n' } }, 'metadata', 'contains the entry "a", which must not contain control characters'],
    [{ metadata: { a: 'x'.repeat(2048) } }, 'metadata', 'must have at most 2048 bytes'],
    [
      { metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, ''])) },
      'metadata',
      'must have at most 64 entries; got 65',
    ],
  ])('refuses %j and names the field and the rule', (options, field, rule) => {
    const error = getError(options);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', path: field, details: { path: field } });
    expect(error.message).toContain(`\`${field}\` ${rule}`);
  });
});

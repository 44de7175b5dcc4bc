import { describe, expect, it } from 'vitest';
import { BlobError } from '../../src/protocol/errors.js';
import { validateTokenOptions } from '../../src/protocol/token-options.js';

const soon = new Date(Date.now() + 60_000).toISOString();

/** Returns the error that the options cause. @throws Error if they are valid */
function getError(body: unknown): BlobError {
  try {
    validateTokenOptions(body);
  } catch (error) {
    return error as BlobError;
  }
  throw new Error(`The options ${JSON.stringify(body)} were accepted.`);
}

describe('validating the options of an upload token', () => {
  it.each([
    {},
    { path: 'avatars/me.png', overwrite: true },
    { prefix: 'inbox' },
    { expires_in: 60, max_uses: 1, max_size: 1, allowed_extensions: ['pdf'] },
    { expires_in: 3600, max_uses: 100, allowed_extensions: Array.from({ length: 20 }, (_, i) => `e${i}`) },
    { visibility: 'private', cache_control: 'no-cache', content_disposition: 'inline', expires_at: soon, metadata: { a: 'ü' } },
  ])('accepts values within their limits: %j', (body) => {
    expect(validateTokenOptions(body)).toEqual(body);
  });

  it('normalizes extensions and prefixes', () => {
    expect(validateTokenOptions({ prefix: 'a/b/', allowed_extensions: ['.PDF', 'pdf', 'tar.gz'] })).toEqual({
      prefix: 'a/b',
      allowed_extensions: ['pdf', 'tar.gz'],
    });
  });

  it.each([
    ['expires_in', { expires_in: 59 }, '60 to 3600'],
    ['expires_in', { expires_in: 3601 }, '60 to 3600'],
    ['expires_in', { expires_in: '900' }, 'must be an integer from 60 to 3600 (seconds); got "900"'],
    ['max_uses', { max_uses: 0 }, '1 to 100'],
    ['max_uses', { max_uses: 101 }, '`max_uses` must be an integer from 1 to 100; got 101.'],
    ['max_uses', { max_uses: 1.5 }, 'an integer'],
    ['max_size', { max_size: 0 }, 'an integer of at least 1 (bytes); got 0'],
    ['max_size', { max_size: null }, 'an integer'],
    ['max_size', { max_size: undefined }, 'leave the option out'],
    ['prefix', { prefix: undefined }, 'leave the option out'],
    ['prefix', { prefix: null }, 'string'],
    ['allowed_extensions', { allowed_extensions: [] }, '1 to 20'],
    ['allowed_extensions', { allowed_extensions: Array.from({ length: 21 }, (_, i) => `e${i}`) }, '1 to 20'],
    ['allowed_extensions[1]', { allowed_extensions: ['pdf', '*'] }, 'extension'],
    ['visibility', { visibility: 'secret' }, '"public" or "private"'],
    ['overwrite', { overwrite: 'yes' }, 'true or false'],
    ['cache_control', { cache_control: 'no-store\r\nset-cookie: a=b' }, 'printable'],
    ['content_disposition', { content_disposition: 'attachment; filename="ü"' }, 'printable'],
    ['expires_at', { expires_at: 'tomorrow' }, 'ISO 8601'],
    ['expires_at', { expires_at: '2030-01-31T12:00:00' }, 'time zone'],
    ['expires_at', { expires_at: '2001-01-01T00:00:00Z' }, 'in the future; got 2001-01-01T00:00:00.000Z'],
    ['metadata', { metadata: [] }, 'object'],
    ['metadata.A B', { metadata: { 'A B': 'c' } }, 'named'],
    ['metadata.a', { metadata: { a: 1 } }, 'string'],
    ['metadata.a', { metadata: { a: 'x\n' } }, 'control characters'],
    ['metadata', { metadata: { a: 'x'.repeat(2048) } }, 'at most 2048 bytes, names and values together; got 2049'],
    ['prefix', { path: 'a', prefix: 'b' }, 'must not be set together with `path`'],
    ['maxUses', { maxUses: 2 }, 'not an option'],
    ['constructor', { constructor: 1 }, 'not an option'],
  ])('refuses an invalid value of %s and names the rule: %j', (field, body, rule) => {
    const error = getError(body);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, path: field, details: { path: field } });
    expect(error.message).toContain(rule);
  });

  it('refuses a path or prefix outside the storage, and options that are no object', () => {
    expect(getError({ path: 'a/../b' })).toMatchObject({ code: 'INVALID_PATH', path: 'path' });
    expect(getError({ prefix: '/etc' })).toMatchObject({ code: 'INVALID_PATH', path: 'prefix' });
    expect(getError(null).code).toBe('VALIDATION_ERROR');
  });
});

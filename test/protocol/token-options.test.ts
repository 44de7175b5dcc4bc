import { describe, expect, it } from 'vitest';
import { BlobError } from '../../src/protocol/errors.js';
import { validateTokenOptions } from '../../src/protocol/token-options.js';

const soon = new Date(Date.now() + 60_000).toISOString();

function refusal(body: unknown): BlobError {
  try {
    validateTokenOptions(body);
  } catch (error) {
    return error as BlobError;
  }
  throw new Error(`accepted ${JSON.stringify(body)}`);
}

describe('the options of an upload token', () => {
  it.each([
    {},
    { path: 'avatars/me.png', overwrite: true },
    { prefix: 'inbox' },
    { expires_in: 60, max_uses: 1, max_size: 1, allowed_extensions: ['pdf'] },
    { expires_in: 3600, max_uses: 100, allowed_extensions: Array.from({ length: 20 }, (_, i) => `e${i}`) },
    { visibility: 'private', cache_control: 'no-cache', content_disposition: 'inline', expires_at: soon, metadata: { a: 'ü' } },
  ])('takes what lies within the bounds: %j', (body) => {
    expect(validateTokenOptions(body)).toEqual(body);
  });

  it('brings values to their one form', () => {
    expect(validateTokenOptions({ prefix: 'a/b/', allowed_extensions: ['.PDF', 'pdf', 'tar.gz'] })).toEqual({
      prefix: 'a/b',
      allowed_extensions: ['pdf', 'tar.gz'],
    });
  });

  it.each([
    ['expires_in', { expires_in: 59 }, '60 to 3600'],
    ['expires_in', { expires_in: 3601 }, '60 to 3600'],
    ['expires_in', { expires_in: '900' }, 'whole number'],
    ['max_uses', { max_uses: 0 }, '1 to 100'],
    ['max_uses', { max_uses: 101 }, '1 to 100'],
    ['max_uses', { max_uses: 1.5 }, 'whole number'],
    ['max_size', { max_size: 0 }, 'whole number'],
    ['max_size', { max_size: null }, 'whole number'],
    ['max_size', { max_size: undefined }, 'leave it out'],
    ['prefix', { prefix: undefined }, 'leave it out'],
    ['prefix', { prefix: null }, 'string'],
    ['allowed_extensions', { allowed_extensions: [] }, '1 to 20'],
    ['allowed_extensions', { allowed_extensions: Array.from({ length: 21 }, (_, i) => `e${i}`) }, '1 to 20'],
    ['allowed_extensions[1]', { allowed_extensions: ['pdf', '*'] }, 'extension'],
    ['visibility', { visibility: 'secret' }, '"public" or "private"'],
    ['overwrite', { overwrite: 'yes' }, 'true or false'],
    ['cache_control', { cache_control: 'no-store\r\nset-cookie: a=b' }, 'printable'],
    ['content_disposition', { content_disposition: 'attachment; filename="ü"' }, 'printable'],
    ['expires_at', { expires_at: 'tomorrow' }, 'ISO 8601'],
    ['expires_at', { expires_at: '2001-01-01T00:00:00Z' }, 'future'],
    ['metadata', { metadata: [] }, 'object'],
    ['metadata.A B', { metadata: { 'A B': 'c' } }, 'named'],
    ['metadata.a', { metadata: { a: 1 } }, 'string'],
    ['metadata', { metadata: { a: 'x'.repeat(2048) } }, '2048 bytes'],
    ['prefix', { path: 'a', prefix: 'b' }, 'excludes'],
    ['maxUses', { maxUses: 2 }, 'not an option'],
    ['constructor', { constructor: 1 }, 'not an option'],
  ])('names the field %s and its rule: %j', (field, body, rule) => {
    const error = refusal(body);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, path: field, details: { path: field } });
    expect(error.message).toContain(rule);
  });

  it('refuses a path or prefix that could leave its place', () => {
    expect(refusal({ path: 'a/../b' })).toMatchObject({ code: 'INVALID_PATH', path: 'path' });
    expect(refusal({ prefix: '/etc' })).toMatchObject({ code: 'INVALID_PATH', path: 'prefix' });
    expect(refusal(null).code).toBe('VALIDATION_ERROR');
  });
});

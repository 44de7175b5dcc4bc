import { describe, expect, it } from 'vitest';
import { BlobError } from '../../src/protocol/errors.js';
import { asBlobError } from '../../src/queue/errors.js';

describe('asBlobError', () => {
  it('returns a BlobError unchanged', () => {
    const error = new BlobError('FILE_EXISTS', 'The file exists.');
    expect(asBlobError(error)).toBe(error);
  });

  it('keeps code, status and details of an error of another copy of the package', () => {
    const fields = { name: 'BlobError', code: 'FILE_EXISTS', status: 409, details: { size: 1 } };
    const error = asBlobError(Object.assign(new Error('The file exists.'), fields));
    expect(error).toBeInstanceOf(BlobError);
    expect(error).toMatchObject({ ...fields, message: 'The file exists.' });
  });

  it.each([new TypeError('Failed to fetch'), Object.assign(new Error('no'), { name: 'BlobError' }), 'text', null])(
    'treats any other error as a missing response: %s',
    (thrown) => {
      expect(asBlobError(thrown)).toMatchObject({ code: 'NETWORK_ERROR', status: 0 });
    },
  );
});

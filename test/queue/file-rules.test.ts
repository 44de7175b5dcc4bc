import { describe, expect, it } from 'vitest';
import { narrowLimits, NO_LIMITS } from '../../src/queue/tokens/token-limits.js';
import { validateFile } from '../../src/queue/file-rules.js';
import type { Candidate, ListedFiles } from '../../src/queue/file-rules.js';
import type { Limits } from '../../src/queue/types.js';

const file = (name: string, size = 10, type = ''): Candidate => ({ name, size, type, identity: `${name}/${size}` });
const nothing: ListedFiles = { files: 0, bytes: 0, identities: new Set() };
const verdict = (candidate: Candidate, limits: Partial<Limits> = {}, taken: Partial<ListedFiles> = {}) =>
  validateFile(candidate, { ...NO_LIMITS, ...limits }, { ...nothing, ...taken })?.code;

describe('the rules for a chosen file', () => {
  it('takes a file that breaks none', () => {
    expect(verdict(file('a.PDF'), { allowedExtensions: ['pdf'], maxSize: 10, maxFiles: 1, maxTotalSize: 10 })).toBeUndefined();
  });

  it('goes by the extension of the last dot, and by the whole of a double one', () => {
    const allowedExtensions = ['pdf', 'tar.gz'];
    expect(verdict(file('a.pdf.exe', 10, 'application/pdf'), { allowedExtensions })).toBe('BLOCKED_FILE_TYPE');
    expect(verdict(file('a.TAR.GZ'), { allowedExtensions })).toBeUndefined();
    expect(verdict(file('a.gz'), { allowedExtensions })).toBe('BLOCKED_FILE_TYPE');
    expect(verdict(file('pdf'), { allowedExtensions })).toBe('BLOCKED_FILE_TYPE');
  });

  it('goes by the accept attribute beside it', () => {
    const accept = ['image/*', 'application/pdf', '.csv'];
    expect(verdict(file('a.png', 1, 'image/png'), { accept })).toBeUndefined();
    expect(verdict(file('A.CSV'), { accept })).toBeUndefined();
    expect(verdict(file('a', 1, 'application/pdf; version="1.7"'), { accept })).toBeUndefined();
    expect(verdict(file('a', 1, 'application/pdfx'), { accept })).toBe('BLOCKED_FILE_TYPE');
    expect(verdict(file('a.txt', 1, 'text/plain'), { accept })).toBe('BLOCKED_FILE_TYPE');
    expect(verdict(file('a.png', 1, 'image/png'), { accept, allowedExtensions: ['jpg'] })).toBe('BLOCKED_FILE_TYPE');
  });

  it('refuses what is empty, too large, chosen twice, one too many, or too much together', () => {
    expect(verdict(file('a', 0))).toBe('EMPTY_FILE');
    expect(verdict(file('a', 0), { allowEmpty: true })).toBeUndefined();
    expect(verdict(file('a', 11), { maxSize: 10 })).toBe('BLOB_FILE_TOO_LARGE');
    expect(verdict(file('a', 1), {}, { identities: new Set(['a/1']) })).toBe('DUPLICATE_FILE');
    expect(verdict(file('a', 1), { maxFiles: 2 }, { files: 2 })).toBe('TOO_MANY_FILES');
    expect(verdict(file('a', 6), { maxTotalSize: 10 }, { bytes: 5 })).toBe('TOTAL_TOO_LARGE');
  });
});

describe('limits of the page and of the token', () => {
  const page: Limits = { ...NO_LIMITS, maxSize: 100, allowedExtensions: ['pdf', 'tar.gz'], maxFiles: 3 };

  it('narrow one another and never widen', () => {
    expect(narrowLimits(page, { maxSize: 50, allowedExtensions: null })).toEqual({ ...page, maxSize: 50 });
    expect(narrowLimits(page, { maxSize: 500, allowedExtensions: ['pdf', 'png'] })).toEqual({
      ...page,
      allowedExtensions: ['pdf'],
    });
    expect(narrowLimits(NO_LIMITS, { maxSize: 5, allowedExtensions: ['png'] }).allowedExtensions).toEqual(['png']);
  });

  it('leave nothing where they share nothing, and the longer ending where one holds the other', () => {
    expect(narrowLimits(page, { maxSize: null, allowedExtensions: ['png'] }).allowedExtensions).toEqual([]);
    expect(narrowLimits(page, { maxSize: null, allowedExtensions: ['gz'] }).allowedExtensions).toEqual(['tar.gz']);
  });
});

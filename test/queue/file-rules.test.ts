import { describe, expect, it } from 'vitest';
import { narrowLimits } from '../../src/queue/tokens/token-limits.js';
import { NO_LIMITS, validateFile } from '../../src/queue/file-rules.js';
import type { Candidate, ListedFiles } from '../../src/queue/file-rules.js';
import type { Limits } from '../../src/queue/types.js';

const file = (name: string, size = 10, type = ''): Candidate => ({ name, size, type, identity: `${name}/${size}` });
const NO_FILES: ListedFiles = { files: 0, bytes: 0, identities: new Set() };
const rejectionOf = (candidate: Candidate, limits: Partial<Limits> = {}, taken: Partial<ListedFiles> = {}) =>
  validateFile(candidate, { ...NO_LIMITS, ...limits }, { ...NO_FILES, ...taken })?.code;

describe('validateFile', () => {
  it('accepts a file within all limits', () => {
    expect(
      rejectionOf(file('a.PDF'), { allowedExtensions: ['pdf'], maxSize: 10, maxFiles: 1, maxTotalSize: 10 }),
    ).toBeUndefined();
  });

  it('compares the extension after the last dot, and a double extension as a whole', () => {
    const allowedExtensions = ['pdf', 'tar.gz'];
    expect(rejectionOf(file('a.pdf.exe', 10, 'application/pdf'), { allowedExtensions })).toBe('BLOCKED_FILE_TYPE');
    expect(rejectionOf(file('a.TAR.GZ'), { allowedExtensions })).toBeUndefined();
    expect(rejectionOf(file('a.gz'), { allowedExtensions })).toBe('BLOCKED_FILE_TYPE');
    expect(rejectionOf(file('pdf'), { allowedExtensions })).toBe('BLOCKED_FILE_TYPE');
  });

  it('compares the file with the accept attribute as well', () => {
    const accept = ['image/*', 'application/pdf', '.csv'];
    expect(rejectionOf(file('a.png', 1, 'image/png'), { accept })).toBeUndefined();
    expect(rejectionOf(file('A.CSV'), { accept })).toBeUndefined();
    expect(rejectionOf(file('a', 1, 'application/pdf; version="1.7"'), { accept })).toBeUndefined();
    expect(rejectionOf(file('a', 1, 'application/pdfx'), { accept })).toBe('BLOCKED_FILE_TYPE');
    expect(rejectionOf(file('a.txt', 1, 'text/plain'), { accept })).toBe('BLOCKED_FILE_TYPE');
    expect(rejectionOf(file('a.png', 1, 'image/png'), { accept, allowedExtensions: ['jpg'] })).toBe('BLOCKED_FILE_TYPE');
  });

  it('rejects empty, large and duplicate files, and files beyond count or total size', () => {
    expect(rejectionOf(file('a', 0))).toBe('EMPTY_FILE');
    expect(rejectionOf(file('a', 0), { allowEmpty: true })).toBeUndefined();
    expect(rejectionOf(file('a', 11), { maxSize: 10 })).toBe('BLOB_FILE_TOO_LARGE');
    expect(rejectionOf(file('a', 1), {}, { identities: new Set(['a/1']) })).toBe('DUPLICATE_FILE');
    expect(rejectionOf(file('a', 1), { maxFiles: 2 }, { files: 2 })).toBe('TOO_MANY_FILES');
    expect(rejectionOf(file('a', 6), { maxTotalSize: 10 }, { bytes: 5 })).toBe('TOTAL_TOO_LARGE');
  });
});

describe('narrowLimits', () => {
  const page: Limits = { ...NO_LIMITS, maxSize: 100, allowedExtensions: ['pdf', 'tar.gz'], maxFiles: 3 };

  it('narrows limits and never widens them', () => {
    expect(narrowLimits(page, { maxSize: 50, allowedExtensions: null })).toEqual({ ...page, maxSize: 50 });
    expect(narrowLimits(page, { maxSize: 500, allowedExtensions: ['pdf', 'png'] })).toEqual({
      ...page,
      allowedExtensions: ['pdf'],
    });
    expect(narrowLimits(NO_LIMITS, { maxSize: 5, allowedExtensions: ['png'] }).allowedExtensions).toEqual(['png']);
  });

  it('keeps common extensions only, and the longer one if it contains the other', () => {
    expect(narrowLimits(page, { maxSize: null, allowedExtensions: ['png'] }).allowedExtensions).toEqual([]);
    expect(narrowLimits(page, { maxSize: null, allowedExtensions: ['gz'] }).allowedExtensions).toEqual(['tar.gz']);
  });
});

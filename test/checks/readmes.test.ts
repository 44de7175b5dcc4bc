import { expect, it } from 'vitest';
import { findUnknownNames } from '../../scripts/checks/readmes.js';

it('the check of READMEs finds a name that the code does not contain', () => {
  const text = '`sendFile(file)` calls `openFile` of `other-file.ts`.';
  expect(findUnknownNames('src/a/README.md', text, new Set(['sendFile', 'file']))).toEqual([
    'src/a/README.md: names openFile, which the code does not contain',
  ]);
});

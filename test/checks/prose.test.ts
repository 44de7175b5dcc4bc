import { describe, expect, it } from 'vitest';
import { findDocumentProblems, findReplacedNames } from '../../scripts/checks/prose.js';

describe('the check of prose', () => {
  it.each([
    'What failed is listed.',
    'The list is empty. None of them failed.',
    'Nobody reads the file.',
    '| Key | Whoever asks gets one |',
  ])('refuses in a document: %s', (text) => expect(findDocumentProblems('page.md', `# Page\n\n${text}\n`)).toHaveLength(1));

  it.each([
    'The list names failed files.',
    '| Who starts requests? | `scheduler.ts` |',
    '# What failed',
    '```sh\nWhat failed\n```',
  ])('accepts in a document: %s', (text) => expect(findDocumentProblems('page.md', text)).toEqual([]));

  it.each(['const fillSlab = 1;', 'if (isUseless) return;', 'class Errand {}'])('refuses a replaced word in a name: %s', (code) =>
    expect(findReplacedNames('src/file.ts', code)).toHaveLength(1),
  );

  it.each(['const gateway = 1;', "throw new S3Error('ScratchUnwritable');", '// It takes a passage of the text.'])(
    'accepts other names and public ones: %s',
    (code) => expect(findReplacedNames('src/file.ts', code)).toEqual([]),
  );
});

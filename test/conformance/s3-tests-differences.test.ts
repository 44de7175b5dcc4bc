import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { DIFFERENT } from './s3-tests-differences.js';

it('docs/reference/s3-endpoint.md names every test of the public suite that differs, and why', async () => {
  const text = await readFile(new URL('../../docs/reference/s3-endpoint.md', import.meta.url), 'utf8');
  for (const [name, reason] of Object.entries(DIFFERENT)) {
    const row = text.split('\n').find((line) => line.includes(`\`${name}\``));
    expect(row, name).toContain(reason);
  }
});

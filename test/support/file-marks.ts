import { readFileSync } from 'node:fs';

/** Returns whether a test file begins with a mark and a reason, such as `// Own process: mocks a module.` */
export const hasMark = (file: string | URL, mark: 'Every browser' | 'Own process' | 'Starts early'): boolean =>
  readFileSync(file, 'utf8').startsWith(`// ${mark}: `);

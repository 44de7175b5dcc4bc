import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const PAGE_FILE = 'svc-uploader.js';

/**
 * Gzipped bytes that each export loads at once: the file and all files of `dist` that it imports statically. Files that load on first
 * use (the upload engine, locales, previews) do not count. Packages count only in the file that pages load, which contains them.
 */
export const BUDGETS: Record<string, number> = {
  // Lit, the element, the form behavior and the checks. Uppy and the rest of the upload path load later.
  [PAGE_FILE]: 32_000,
  // The npm files are unminified and keep their comments.
  'index.js': 54_000,
  'element.js': 53_500,
  'react.js': 55_500,
  'server.js': 25_500,
  'service.js': 4200,
  's3.js': 88_500,
  's3-node.js': 122_500,
};

/** The console before a person clicks: the frame, the section Files and English texts. */
const CONSOLE_BUDGET = 90_000;
const CONSOLE_FIRST_PAGE = [
  'src/console/index.ts',
  'src/console/texts/en.ts',
  'src/console/shell/console-app.ts',
  'src/console/sections/files/index.ts',
  'src/console/sections/files/texts/en.ts',
];

/** A file over its budget by more than this factor causes a warning, never a failure: no trick is worth a byte. */
const TOLERANCE = 1.1;

const STATIC_IMPORT = /(?:^|[\s;}])(?:import|export)\s*(?:[\w*${}\s,]+?\s*from\s*)?["'](\.[^"']+)["']/g;
const BARE_IMPORT = /(?:^|[\s;}])(?:import|export)\s*(?:[\w*${}\s,]+?\s*from\s*)?["']([^."'][^"']*)["']/g;

/** Reads a file and all files that it imports statically. */
async function readStaticImports(file: string, texts = new Map<string, string>()): Promise<Map<string, string>> {
  if (texts.has(file)) return texts;
  const text = await readFile(file, 'utf8');
  texts.set(file, text);
  for (const match of text.matchAll(STATIC_IMPORT)) await readStaticImports(join(dirname(file), match[1]!), texts);
  return texts;
}

/**
 * Checks that the page file imports one file, the element, and no package. A third file would delay the element by another request. If the
 * element were in the page file itself, a page that adds a version to the address would load the element twice.
 */
function problemsOfPageFile(texts: Map<string, string>): string[] {
  const problems: string[] = [];
  const imported = [...texts.keys()].slice(1);
  if (imported.length !== 1)
    problems.push(`dist/${PAGE_FILE} must import one file, but imports ${imported.join(', ') || 'none'}`);
  for (const [file, text] of texts) {
    const packages = [...text.matchAll(BARE_IMPORT)].map((match) => match[1]);
    if (packages.length > 0) problems.push(`${file} must contain its packages, but imports ${packages.join(', ')}`);
  }
  return problems;
}

/** Warns about every export over its budget. @returns what is wrong with the file that pages load */
export async function checkSizes(): Promise<string[]> {
  const problems: string[] = [];
  for (const [entry, budget] of Object.entries(BUDGETS)) {
    const texts = await readStaticImports(`dist/${entry}`);
    const bytes = [...texts.values()].reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
    console.log(`  dist/${entry}: ${bytes} bytes gzipped of ${budget}`);
    if (bytes > budget * TOLERANCE)
      console.warn(
        `warning: dist/${entry} is more than 10 % over its budget (scripts/checks/sizes.ts). Move code to a file that loads later.`,
      );
    if (entry === PAGE_FILE) problems.push(...problemsOfPageFile(texts));
  }
  await checkConsoleSize();
  return problems;
}

async function checkConsoleSize(): Promise<void> {
  const manifest = JSON.parse(await readFile('dist/console/manifest.json', 'utf8')) as Record<string, { file: string }>;
  const texts = new Map<string, string>();
  for (const source of CONSOLE_FIRST_PAGE) await readStaticImports(`dist/${manifest[source]!.file}`, texts);
  const bytes = [...texts.values()].reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
  console.log(`  dist/console, first page: ${bytes} bytes gzipped of ${CONSOLE_BUDGET}`);
  if (bytes > CONSOLE_BUDGET * TOLERANCE)
    console.warn(
      'warning: the first page of the console is more than 10 % over its budget (scripts/checks/sizes.ts). Load code later.',
    );
}

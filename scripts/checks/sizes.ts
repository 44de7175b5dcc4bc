import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/**
 * Gzipped bytes of what each export loads at once: the file and all it imports statically from `dist`. What is imported when first
 * needed (tus, previews, locales) does not count; installed packages count only in the self-contained file, which holds them.
 */
export const BUDGETS: Record<string, number> = {
  'svc-uploader.js': 40_000,
  // As it ships for bundlers: unminified, with its comments.
  'index.js': 62_000,
  'element.js': 61_500,
  'react.js': 63_000,
  'server.js': 13_500,
  'service.js': 2_500,
  // Rounds of hard questions about lost answers, torn files and stores that lie are answered in it.
  's3.js': 64_500,
  's3-node.js': 99_500,
};

/** A budget warns and never fails a build: no trick is worth a byte. */
const TOLERANCE = 1.1;

const STATIC_IMPORT = /(?:^|[\s;}])(?:import|export)\s*(?:[\w*${}\s,]+?\s*from\s*)?["'](\.[^"']+)["']/g;
const BARE_IMPORT = /(?:^|[\s;}])(?:import|export)\s*(?:[\w*${}\s,]+?\s*from\s*)?["']([^."'][^"']*)["']/g;

async function closure(file: string, seen = new Map<string, string>()): Promise<Map<string, string>> {
  if (seen.has(file)) return seen;
  const text = await readFile(file, 'utf8');
  seen.set(file, text);
  for (const match of text.matchAll(STATIC_IMPORT)) await closure(join(dirname(file), match[1]!), seen);
  return seen;
}

/** Warns of every export over its budget. @returns one line for a self-contained file that imports a package. */
export async function checkSizes(): Promise<string[]> {
  const problems: string[] = [];
  for (const [entry, budget] of Object.entries(BUDGETS)) {
    const files = await closure(`dist/${entry}`);
    const bytes = [...files.values()].reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
    console.log(`  dist/${entry}: ${bytes} bytes gzipped of ${budget}`);
    if (bytes > budget * TOLERANCE)
      console.warn(
        `warning: dist/${entry} is more than 10 % over its budget (scripts/checks/sizes.ts). Move code to a file that loads later.`,
      );
    if (entry !== 'svc-uploader.js') continue;
    for (const [file, text] of files) {
      const bare = [...text.matchAll(BARE_IMPORT)].map((match) => match[1]);
      if (bare.length > 0) problems.push(`${file}: is to be self-contained, but imports ${bare.join(', ')}`);
    }
  }
  return problems;
}

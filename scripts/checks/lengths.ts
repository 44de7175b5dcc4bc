import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_LINES = 300;
/** A longer file states why in its first lines: `// Long because …`. */
const REASON = /Long because/;

/** @returns one line for every file over 300 lines that states no reason */
export async function checkLengths(): Promise<string[]> {
  const problems: string[] = [];
  for (const top of ['src', 'server', 'demo', 'fault-proxy', 'scripts', 'test']) {
    const entries = await readdir(top, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const file = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !/\.(ts|mjs|js|css)$/.test(entry.name) || file.includes('node_modules') || file.includes('/dist/'))
        continue;
      const lines = (await readFile(file, 'utf8')).split('\n');
      if (lines.length > MAX_LINES && !REASON.test(lines.slice(0, 10).join('\n')))
        problems.push(`${file}: ${lines.length} lines; split it, or state the reason ("// Long because …")`);
    }
  }
  return problems;
}

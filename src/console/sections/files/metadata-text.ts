import { METADATA } from '../../../protocol/limits.js';

/** Writes metadata as one `name: value` on each line. */
export const writeMetadata = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** Reads what `writeMetadata` writes. @returns undefined if a line has no valid name or no colon */
export function parseMetadata(text: string): Record<string, string> | undefined {
  const entries: [string, string][] = [];
  for (const line of text.split('\n').filter((part) => part.trim() !== '')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    if (colon < 1 || !METADATA.key.test(name)) return undefined;
    entries.push([name, line.slice(colon + 1).trim()]);
  }
  return Object.fromEntries(entries);
}

import { elementDocument } from '../docs/manifest.js';

/** @returns a line when the tables of docs/element.md no longer tell what the source says. */
export async function checkDocs(): Promise<string[]> {
  const { written, wanted } = await elementDocument();
  return written === wanted ? [] : ['docs/element.md: its tables differ from the source; run npm run docs'];
}

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

/** Attributes that the page sets itself. */
const WITHOUT_SETTING = new Set(['name', 'endpoint', 'token', 'token-endpoint']);

describe('settings of the playground', () => {
  it('include every attribute of the element', async () => {
    const page = await readFile('demo/pages/playground.html', 'utf8');
    const manifest = JSON.parse(await readFile('dist/html-custom-data.json', 'utf8')) as {
      tags: { name: string; attributes: { name: string }[] }[];
    };
    const { attributes } = manifest.tags.find(({ name }) => name === 'svc-uploader')!;
    expect(attributes.length).toBeGreaterThan(15);
    const missing = attributes.filter(({ name }) => !WITHOUT_SETTING.has(name) && !page.includes(`name="${name}"`));
    expect(missing).toEqual([]);
  });
});

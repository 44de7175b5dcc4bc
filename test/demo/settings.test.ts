import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

/** What the demo sets itself: who the storage and the form field are. */
const NOT_A_KNOB = new Set(['name', 'endpoint', 'token', 'token-endpoint']);

describe('the playground', () => {
  it('has a knob for every attribute of the element', async () => {
    const page = await readFile('demo/pages/playground.html', 'utf8');
    const manifest = JSON.parse(await readFile('dist/html-custom-data.json', 'utf8')) as {
      tags: { name: string; attributes: { name: string }[] }[];
    };
    const { attributes } = manifest.tags.find(({ name }) => name === 'svc-uploader')!;
    expect(attributes.length).toBeGreaterThan(15);
    const without = attributes.filter(({ name }) => !NOT_A_KNOB.has(name) && !page.includes(`name="${name}"`));
    expect(without).toEqual([]);
  });
});

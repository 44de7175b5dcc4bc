import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeContexts, fileInputOf, useChromium, openWatchedPage } from './chromium-page.js';
import { createFile } from './sample-files.js';
import { buildProject, serveProject, findTypeErrors } from './built-project.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

let product: Product;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([useProduct(), useChromium(), mkdtemp(join(tmpdir(), 'svc-examples-'))]);
});
afterAll(async () => {
  await closeContexts(browser);
  await rm(folder, { recursive: true, force: true });
});

/** Reads the TypeScript of an example: its files, and the scripts of its components. */
async function readScripts(name: string): Promise<{ file: string; text: string }[]> {
  const root = resolve('demo/examples', name);
  const files = (await readdir(root)).filter((file) => /\.(tsx?|vue|svelte)$/.test(file) && file !== 'vite.config.ts');
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(root, file), 'utf8');
      if (/\.tsx?$/.test(file)) return { file, text };
      const script = /<script[^>]*lang="ts"[^>]*>([^]*?)<\/script>/.exec(text)![1]!;
      // The type of the component for files that import it.
      const component = name === 'vue' ? "import('vue').Component" : "import('svelte').Component";
      return { file: `${file}.ts`, text: `${script}\ndeclare const component: ${component};\nexport default component;\n` };
    }),
  );
}

describe('the examples', () => {
  it.each(['react', 'vue', 'svelte', 'angular'])('compile against the built package: %s', async (name) => {
    // Imports of a component name its file.
    const files = (await readScripts(name)).map(({ file, text }) => ({
      file,
      text: text.replace(/(from '\.\/\w+\.(vue|svelte))'/g, "$1.ts'"),
    }));
    expect(await findTypeErrors(files, name === 'svelte' ? ['svelte'] : [])).toBe('');
  });
});

describe.each(['html', 'react', 'vue', 'svelte', 'angular'])('the example for %s', (name) => {
  it('uploads, receives the event and sends the path with its form', async () => {
    using served = await serveProject(product, await buildProject(resolve('demo/examples', name), join(folder, name)));
    const { page, consoleErrors } = await openWatchedPage(await browser.newContext());
    await page.goto(served.url);
    const file = await createFile(folder, `${name} example.txt`, 2000);
    await fileInputOf(page, 'svc-uploader').setInputFiles(file.path);
    const row = page.locator('#stored li');
    await row.waitFor();
    const path = (await row.textContent())!;
    expect(await product.listFiles(path)).toMatchObject([{ path, sha256: file.sha256 }]);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => page.locator('#sent').textContent()).toBe(path);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
});

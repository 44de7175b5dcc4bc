import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FRAMEWORKS } from '../../demo/site/playground/framework-code.js';
import type { Framework } from '../../demo/site/playground/framework-code.js';
import { closeContexts, useChromium, openWatchedPage } from './chromium-page.js';
import { buildProject, serveProject, findTypeErrors } from './built-project.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

let product: Product;
let browser: Browser;
let folder: string;
let playground: Page;
/** Projects of a visitor. The folder is inside the package, so that their imports are found. */
let projects: string;

beforeAll(async () => {
  [product, browser, folder, projects] = await Promise.all([
    useProduct(),
    useChromium(),
    mkdtemp(join(tmpdir(), 'svc-copied-')),
    mkdtemp(resolve('dist/copied-')),
  ]);
  playground = await browser.newPage();
  await playground.goto(`${product.demo}/playground`);
});
afterAll(async () => {
  await closeContexts(browser);
  for (const place of [folder, projects]) await rm(place, { recursive: true, force: true });
});

/** Files that the visitor adds to the copied code. */
const OWN_FILES: Readonly<Record<Framework, Readonly<Record<string, string>>>> = {
  html: {},
  react: {
    'main.tsx': `import { createRoot } from 'react-dom/client';
      import { Attachments } from './Attachments';
      createRoot(document.getElementById('app')!).render(<Attachments />);`,
  },
  vue: { 'main.ts': `import { createApp } from 'vue'; import App from './Attachments.vue'; createApp(App).mount('#app');` },
  svelte: {
    'main.ts': `import { mount } from 'svelte'; import App from './Attachments.svelte';
      mount(App, { target: document.getElementById('app')! });`,
    'vite.config.js': `import { svelte } from '@sveltejs/vite-plugin-svelte'; export default { plugins: [svelte()] };`,
  },
  angular: {
    'main.ts': `import '@angular/compiler';
      import { provideZonelessChangeDetection } from '@angular/core';
      import { bootstrapApplication } from '@angular/platform-browser';
      import { Attachments } from './attachments.component';
      await bootstrapApplication(Attachments, { providers: [provideZonelessChangeDetection()] });`,
    'tsconfig.json':
      '{"compilerOptions": {"target": "es2022", "experimentalDecorators": true, "useDefineForClassFields": false}}',
  },
};
const page = (script: string) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Copied</title></head>
  <body><app-attachments id="app"></app-attachments><script type="module" src="/${script}"></script></body></html>`;

/** Changes every setting except the token, which is private. */
async function changeAllSettings(theme: string): Promise<void> {
  await playground.evaluate((chosen) => {
    const VALUES: Record<string, string> = {
      'allowed-extensions': 'pdf, tar.gz',
      accept: '.pdf, .gz',
      'max-size': '10MiB',
      'max-total-size': '1GiB',
      'max-files': '7',
      concurrency: '3',
      'resize-max-width': '1000',
      'resize-max-height': '800',
      'resize-quality': '0.7',
      'crop-ratio': 'free, 16:9',
      sources: 'device camera',
      '--radius': '3',
      '--row-height': '72',
      hint: '{a} "b" & `c` ${d} <e>',
      fields: '[{"name": "caption", "label": "A \'caption\' & <more>"}]',
    };
    const form = document.querySelector<HTMLFormElement>('#settings')!;
    for (const one of form.elements as unknown as Iterable<HTMLInputElement | HTMLSelectElement>) {
      if (one.name === '' || one.name === 'token' || one.name === 'token-endpoint' || one.name === 'endpoint') continue;
      if (one instanceof HTMLSelectElement) one.value = [...one.options].at(-1)!.value;
      else if (one.type === 'checkbox') one.checked = true;
      else if (one.type !== 'radio') one.value = VALUES[one.name] ?? 'other';
      else one.checked = one.name === 'theme' ? one.value === chosen : ['inline', '#7a3fa0'].includes(one.value) || one.checked;
    }
    form.dispatchEvent(new Event('input'));
  }, theme);
}

/** Reads every setting of the element, and its computed styles. */
const readLook = (where: Page) =>
  where.$eval('svc-uploader', async (el) => {
    const uploader = el as HTMLElement & { updateComplete: Promise<unknown> };
    await uploader.updateComplete;
    // Colours change with a transition.
    await Promise.all(el.shadowRoot!.getAnimations().map(({ finished }) => finished));
    const settings = el as unknown as Record<string, unknown>;
    const { elementProperties } = customElements.get('svc-uploader') as unknown as {
      elementProperties: Map<string, { attribute?: string | false; state?: boolean }>;
    };
    const names = [...elementProperties].filter(([, one]) => one.attribute !== false && !one.state).map(([name]) => name);
    const STYLES = ['background', 'border-radius', 'border-style', 'padding', 'font-weight', 'font-size'];
    const styleOf = (part: Element | null) =>
      part && STYLES.map((name) => `${name}: ${getComputedStyle(part).getPropertyValue(name)}`);
    return {
      settings: Object.fromEntries(names.filter((name) => !name.startsWith('token')).map((name) => [name, settings[name]])),
      host: styleOf(el),
      parts: ['dropzone', 'file-selector-button', 'label', 'hint'].map((part) =>
        styleOf(el.shadowRoot!.querySelector(`[part=${part}]`)),
      ),
      rows: getComputedStyle(el).getPropertyValue('--svc-uploader-row-height'),
    };
  });

async function copyCode(framework: Framework): Promise<{ file: string; text: string }[]> {
  await playground.check(`[name=framework][value=${framework}]`);
  const panes = await playground.$$eval('.pane:not([hidden])', (all) =>
    all.map((one) => ({
      file: one.querySelector('figcaption span')!.textContent,
      text: one.querySelector('pre')!.textContent,
    })),
  );
  return panes;
}

describe.each(['', 'soft'])('code copied with every setting changed and the theme "%s"', (theme) => {
  it.each(FRAMEWORKS)('builds and looks the same, in %s', async (framework) => {
    await changeAllSettings(theme);
    const shown = await readLook(playground);
    expect(shown.settings).toMatchObject({ multiple: true, maxFiles: '7', appearance: 'inline', locale: 'zh-Hant' });
    const root = join(projects, `${framework}-${theme}`);
    await mkdir(root);
    const files = await copyCode(framework);
    for (const { file, text } of files) await writeFile(join(root, file === 'page.html' ? 'index.html' : file), text);
    const around = Object.entries(OWN_FILES[framework]);
    for (const [file, text] of around) await writeFile(join(root, file), text);
    if (around.length > 0) await writeFile(join(root, 'index.html'), page(around[0]![0]));
    if (framework === 'react' || framework === 'angular') {
      const styles = { file: 'styles.d.ts', text: "declare module '*.css';" };
      expect(await findTypeErrors([...files.filter(({ file }) => /\.tsx?$/.test(file)), styles])).toBe('');
    }

    using served = await serveProject(product, await buildProject(root, join(folder, `${framework}-${theme}`)));
    const { page: theirs, consoleErrors } = await openWatchedPage(await browser.newContext());
    await theirs.goto(served.url);
    await theirs.locator('svc-uploader [part~=dropzone]').first().waitFor();
    await expect.poll(() => readLook(theirs)).toEqual(shown);
    expect(consoleErrors).toEqual([]);
    await theirs.context().close();
  });
});

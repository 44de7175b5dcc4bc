import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const exec = promisify(execFile);

/** Runs the text of a module in another Node process. @returns its output */
async function runInNode(text: string): Promise<string> {
  const { stdout } = await exec(process.execPath, ['--input-type=module', '--eval', text]);
  return stdout.trim();
}

type Target = string | { node?: Target; default: Target };
const resolveForNode = (target: Target): string =>
  typeof target === 'string' ? target : resolveForNode(target.node ?? target.default);

const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { exports: Record<string, Target> };
const modules = Object.entries(manifest.exports).flatMap(([name, target]) => {
  const file = resolveForNode(target);
  return file.endsWith('.js') ? [[name, pathToFileURL(file).href] as const] : [];
});

// Needs a build.
describe.skipIf(!existsSync('dist/index.js'))('the built package in Node', () => {
  it.each(modules)('imports %s without a window, and creates none', async (_name, file) => {
    const pages = `['window', 'document', 'navigator', 'location'].filter((name) => name in globalThis)`;
    const output = await runInNode(`const before = ${pages}; await import(${JSON.stringify(file)});
      console.log(JSON.stringify([before, ${pages}]));`);
    const [before, after] = JSON.parse(output) as string[][];
    expect(after).toEqual(before);
  });

  it('renders the React wrapper on a server, with the native input inside', async () => {
    const [, file] = modules.find(([name]) => name === './react')!;
    const html = await runInNode(`
      const { createElement } = await import('react');
      const { renderToString } = await import('react-dom/server');
      const { SvcUploader } = await import(${JSON.stringify(file)});
      const input = createElement('input', { type: 'file', name: 'doc' });
      console.log(renderToString(createElement(SvcUploader, { id: 'up', maxSize: '1MB', onSvcComplete() {} }, input)));`);
    expect(html).toBe('<svc-uploader id="up"><input type="file" name="doc"/></svc-uploader>');
  });
});

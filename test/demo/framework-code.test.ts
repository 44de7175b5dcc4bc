import { describe, expect, it } from 'vitest';
import { codeFor, FRAMEWORKS } from '../../demo/site/playground/framework-code.js';
import type { Attributes, Framework } from '../../demo/site/playground/framework-code.js';
import { THEMES, styleSheet } from '../../demo/site/playground/themes.js';

const ATTRIBUTES = { name: 'files', multiple: true, readonly: true, 'max-size': '10MiB', hint: 'a "b" & c' } as const;
const CSS = styleSheet('svc-uploader', '', { '--svc-uploader-radius': '4px' });

const all = (flavour: Framework, attributes: Attributes, css: string): string =>
  codeFor(flavour, attributes, css)
    .map(({ text }) => text)
    .join('\n');

describe('the code to copy', () => {
  it.each(FRAMEWORKS)('says every turned knob in %s', (flavour) => {
    const code = all(flavour, ATTRIBUTES, CSS);
    for (const part of ['multiple', '10MiB', 'a &quot;b&quot; &amp; c', '--svc-uploader-radius: 4px;'])
      expect(code).toContain(part);
    expect(all(flavour, { name: 'files' }, '')).not.toContain('style');
  });

  it('uses React’s spelling in React, and keeps its style sheet in a file of its own', () => {
    const [main, beside] = codeFor('react', ATTRIBUTES, CSS);
    expect(main!.text).toContain('maxSize="10MiB"');
    expect(main!.text).toContain('readOnly');
    expect(main!.text).toContain(`import './${beside!.name}';`);
    expect(beside!.text).toBe(`${CSS}\n`);
  });

  it('keeps a short tag on one line', () => {
    expect(codeFor('html', { name: 'files' }, '')).toEqual([
      {
        name: 'page.html',
        text: `<script type="module" src="/svc-uploader.js"></script>\n\n<form method="post">\n  <svc-uploader name="files"></svc-uploader>\n  <button>Send</button>\n</form>\n`,
      },
    ]);
  });
});

describe('the looks', () => {
  it.each(Object.keys(THEMES))('are built of parts and custom properties, of which one that is turned wins: %s', (look) => {
    const css = styleSheet('svc-uploader', look, { '--svc-uploader-radius': '1px' });
    expect(css).toContain('svc-uploader::part(');
    expect(css.match(/--svc-uploader-radius: (\S+);/g)).toEqual(['--svc-uploader-radius: 1px;']);
  });

  it('name no colour that only the demo’s page has', () => {
    const ground = { '--svc-uploader-background': 'color-mix(in oklab, var(--svc-uploader-accent) 12%, transparent)' };
    for (const look of ['', ...Object.keys(THEMES)]) {
      const css = styleSheet('svc-uploader', look, ground);
      const used = [...css.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!);
      for (const name of used) expect(css).toContain(`  ${name}:`);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { codeFor, FRAMEWORKS } from '../../demo/site/playground/framework-code.js';
import type { Attributes, Framework } from '../../demo/site/playground/framework-code.js';
import { THEMES, styleSheet } from '../../demo/site/playground/themes.js';

const ATTRIBUTES = { name: 'files', multiple: true, readonly: true, 'max-size': '10MiB', hint: 'a "b" & c' } as const;
const CSS = styleSheet('svc-uploader', '', { '--svc-uploader-radius': '4px' });

const allText = (framework: Framework, attributes: Attributes, css: string): string =>
  codeFor(framework, attributes, css)
    .map(({ text }) => text)
    .join('\n');

describe('code sample of the playground', () => {
  it.each(FRAMEWORKS)('contains every changed setting for %s', (framework) => {
    const code = allText(framework, ATTRIBUTES, CSS);
    for (const part of ['multiple', '10MiB', 'a &quot;b&quot; &amp; c', '--svc-uploader-radius: 4px;'])
      expect(code).toContain(part);
    expect(allText(framework, { name: 'files' }, '')).not.toContain('style');
  });

  it('uses the spelling of React, and a separate file for the style sheet', () => {
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

describe('themes of the playground', () => {
  it.each(Object.keys(THEMES))('consist of parts and custom properties, and a changed setting wins: %s', (theme) => {
    const css = styleSheet('svc-uploader', theme, { '--svc-uploader-radius': '1px' });
    expect(css).toContain('svc-uploader::part(');
    expect(css.match(/--svc-uploader-radius: (\S+);/g)).toEqual(['--svc-uploader-radius: 1px;']);
  });

  it('use no colour that only the page of the demo defines', () => {
    const background = { '--svc-uploader-background': 'color-mix(in oklab, var(--svc-uploader-accent) 12%, transparent)' };
    for (const theme of ['', ...Object.keys(THEMES)]) {
      const css = styleSheet('svc-uploader', theme, background);
      const used = [...css.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!);
      for (const name of used) expect(css).toContain(`  ${name}:`);
    }
  });
});

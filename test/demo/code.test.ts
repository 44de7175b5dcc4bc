import { describe, expect, it } from 'vitest';
import { codeFor, FLAVOURS } from '../../demo/site/playground/code.js';

const ATTRIBUTES = { name: 'files', multiple: true, readonly: true, 'max-size': '10MiB', hint: 'a "b" & c' } as const;
const THEME = { '--svc-uploader-radius': '4px' };

describe('the code to copy', () => {
  it.each(FLAVOURS)('says every turned knob in %s', (flavour) => {
    const code = codeFor(flavour, ATTRIBUTES, THEME);
    for (const part of ['multiple', '10MiB', 'a &quot;b&quot; &amp; c', '--svc-uploader-radius: 4px;'])
      expect(code).toContain(part);
    expect(codeFor(flavour, { name: 'files' }, {})).not.toContain('style');
  });

  it('uses React’s spelling in React', () => {
    expect(codeFor('react', ATTRIBUTES, {})).toContain('maxSize="10MiB"');
    expect(codeFor('react', ATTRIBUTES, {})).toContain('readOnly');
  });

  it('keeps a short tag on one line', () => {
    expect(codeFor('html', { name: 'files' }, {})).toBe(
      `<script type="module" src="/svc-uploader.js"></script>\n\n<form method="post">\n  <svc-uploader name="files"></svc-uploader>\n  <button>Send</button>\n</form>\n`,
    );
  });
});

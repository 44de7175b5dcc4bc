import { expect } from 'chai';
import { createFile, find, once, waitForPaint, removeAll, until, createUploader } from './fixture.js';

/** For each custom property, the element and the computed style that it changes. */
const EFFECTS: [name: string, value: string, selector: string, style: string, seen: string][] = [
  ['accent', 'rgb(1, 2, 3)', '.root', '--_accent', 'rgb(1, 2, 3)'],
  ['danger', 'rgb(1, 2, 3)', '.problem .status', 'color', 'rgb(1, 2, 3)'],
  ['success', 'rgb(1, 2, 3)', '.done .status svg', 'color', 'rgb(1, 2, 3)'],
  ['muted', 'rgb(1, 2, 3)', '.hint', 'color', 'rgb(1, 2, 3)'],
  ['border-color', 'rgb(1, 2, 3)', '.files', 'borderTopColor', 'rgb(1, 2, 3)'],
  ['control-border-color', 'rgb(1, 2, 3)', '.pick', 'borderTopColor', 'rgb(1, 2, 3)'],
  ['fill', 'rgb(1, 2, 3)', '.glyph', 'backgroundColor', 'rgb(1, 2, 3)'],
  ['background', 'rgb(1, 2, 3)', '.zone', 'backgroundColor', 'rgb(1, 2, 3)'],
  ['button-background', 'rgb(1, 2, 3)', '.pick', 'backgroundColor', 'rgb(1, 2, 3)'],
  ['button-color', 'rgb(1, 2, 3)', '.pick', 'color', 'rgb(1, 2, 3)'],
  ['radius', '3px', '.zone', 'borderTopLeftRadius', '3px'],
  ['row-height', '90px', '.row', 'minHeight', '91px'],
  ['list-height', '123px', '.list', 'maxHeight', '123px'],
  ['duration', '0.9s', '.pick', 'transitionDuration', '0.9s'],
];

describe('a custom property', () => {
  afterEach(removeAll);

  it('changes the style that it is named for', async () => {
    const el = await createUploader({ multiple: true, hint: 'Any', 'max-size': 100 });
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.pdf'), createFile('large.pdf', 200)]);
    await complete;
    await waitForPaint(el);
    for (const [name, value, selector, style, seen] of EFFECTS) {
      const now = () => {
        const all = getComputedStyle(find(el, selector));
        const found = style.startsWith('--') ? all.getPropertyValue(style) : all[style as 'color'];
        return found.split(',')[style === 'transitionDuration' ? 0 : Number.NaN] ?? found;
      };
      expect(now(), `${name} before`).to.not.equal(seen);
      el.style.setProperty(`--svc-uploader-${name}`, value);
      await until(() => now() === seen);
      expect(now(), name).to.equal(seen);
      el.style.removeProperty(`--svc-uploader-${name}`);
    }
  });
});

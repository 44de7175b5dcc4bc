// Every browser: engines write computed colors differently.
import { expect } from 'chai';
import { contrast, mix } from '../../../src/element/colors/palette.js';
import type { Rgb } from '../../../src/element/colors/palette.js';
import { createFile, createUploader, find, once, removeAll, until, waitForPaint } from './fixture.js';
import type { SvcUploader } from '../../../src/element/index.js';

/** Background, text, and `accent-color` of a page. The second is a stock page of Vite, the third its older one on dark screens. */
const PAGES: [background: string, text: string, accent?: string][] = [
  ['#fff', '#000'],
  ['#fff', '#6b6375'],
  ['#242424', 'rgba(255, 255, 255, 0.87)'],
  ['#777', '#000'],
  ['#808080', '#fff'],
  ['oklch(0.55 0 0)', 'white', 'yellow'],
  ['#ffe000', '#222', '#ffe000'],
];

/** Reads an opaque or translucent color over another one. */
function over(css: string, below: Rgb): Rgb {
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
  context.fillStyle = css;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data as unknown as [number, number, number, number];
  return mix(below, [r, g, b], a / 255);
}

function backgroundOf(element: Element | null): Rgb {
  if (element === null) return [255, 255, 255];
  const parent = element.assignedSlot ?? element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host ?? null;
  return over(getComputedStyle(element).backgroundColor, backgroundOf(parent));
}

/** Returns the texts and icons that are too faint, with their contrast. */
function findFaint(el: SvcUploader): string[] {
  const shown = [...el.shadowRoot!.querySelectorAll('.root *')].filter(
    (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('.hidden, [hidden]'),
  );
  const faint: string[] = [];
  const check = (element: Element, color: string, minimum: number) => {
    const background = backgroundOf(element);
    const found = contrast(over(color, background), background);
    if (found < minimum) faint.push(`${element.localName}.${element.getAttribute('class') ?? ''} ${found.toFixed(2)}`);
  };
  for (const element of shown) {
    const { color, borderTopColor } = getComputedStyle(element);
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\S/.test(node.textContent!));
    if ((hasText && element.className !== 'whole') || element.hasAttribute('data-text')) check(element, color, 4.5);
    if (element.localName === 'svg') check(element, color, 3);
    if (element.matches('.pick, .zone')) check(element.parentElement!, borderTopColor, 3);
    if (element.localName === 'progress') check(element.parentElement!, color, 3);
  }
  return faint;
}

describe('the contrast of the element', () => {
  afterEach(() => {
    document.body.removeAttribute('style');
    removeAll();
  });

  for (const appearance of ['dropzone', 'grid'])
    it(`suffices on every page, with files in every state: ${appearance}`, async () => {
      const el = await createUploader({
        appearance,
        multiple: true,
        label: 'Attachments',
        'max-size': 100_000,
        storage: 'store',
      });
      const complete = once(el, 'svc-complete');
      await el.addFiles([createFile('a.pdf'), createFile('large.pdf', 200_000)]);
      await complete;
      el.setAttribute('endpoint', `${location.origin}/storage/hang`);
      await el.addFiles([createFile('b.pdf', 5000), createFile('empty.txt', 0)]);
      const hanging = await createUploader(
        { appearance, multiple: true, label: 'More', 'max-size': 100_000, manual: true },
        { storage: 'hang' },
      );
      await hanging.addFiles([createFile('c.pdf', 5000), createFile('d.pdf', 5000)]);
      for (const [background, text, accent = ''] of PAGES) {
        Object.assign(document.body.style, { backgroundColor: background, color: text, accentColor: accent });
        await Promise.all([waitForPaint(el), waitForPaint(hanging)]);
        const findAll = () => [el, hanging].flatMap(findFaint);
        await until(() => findAll().length === 0);
        expect(findAll(), `${text} on ${background}`).to.deep.equal([]);
      }
      expect(find(el, '.done')).to.not.equal(null);
    });
});

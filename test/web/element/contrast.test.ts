// Every browser: engines write computed colors differently.
import { expect } from 'chai';
import { contrast } from '../../../src/element/colors/palette.js';
import type { Rgb } from '../../../src/element/colors/palette.js';
import type { Attributes } from './fixture.js';
import { createFile, createUploader, find, once, removeAll, until, waitForPaint } from './fixture.js';
import type { SvcUploader } from '../../../src/element/index.js';
import { createPicture } from './pictures.js';
import { itOnce } from '../once.js';

/** Contrasts are smallest between #666 and #888. */
const GRAYS = '#fff #d0d0d0 #999 #888 #808080 #777 #767676 #6e6e6e #666 #444 #242424 #000'.split(' ');
const SATURATED = '#ffe000 #f00 #0a0 #00f #0ff #f0f #0078d4 #8b4513 #556b2f'.split(' ');

/** Background, text, and `accent-color` of a page. The background changes from page to page. Some are stock pages of Vite. */
const PAGES: [background: string, text: string, accent?: string][] = [
  ...[...GRAYS, ...SATURATED, ...GRAYS].map((background, index): [string, string] => [
    background,
    index % 2 === 0 ? '#000' : '#fff',
  ]),
  ['#242424', 'rgba(255, 255, 255, 0.87)'],
  ['#fff', '#6b6375'],
  ['oklch(0.55 0 0)', 'white', 'yellow'],
  ['#ffe000', '#222', '#ffe000'],
];

const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
const painted = new Map<string, Rgb>();

/** Reads a color as it is painted over another one: with 8 bits for each channel and for the opacity. */
function over(css: string, below: Rgb): Rgb {
  const key = `${css} ${below}`;
  const known = painted.get(key);
  if (known) return known;
  for (const color of [`rgb(${below.join(' ')})`, css]) {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
  }
  const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data as unknown as [number, number, number];
  painted.set(key, [red, green, blue]);
  return [red, green, blue];
}

function backgroundOf(element: Element | null): Rgb {
  if (element === null) return [255, 255, 255];
  // A dialog is painted over everything.
  const isDialog = element.localName === 'dialog';
  const parent = element.assignedSlot ?? element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host ?? null;
  return over(getComputedStyle(element).backgroundColor, isDialog ? [255, 255, 255] : backgroundOf(parent));
}

/** Lines that carry a meaning: borders of controls, of drop zones, and of a vacant picture. */
const BORDERED =
  '.pick, .dropzone:not(.avatar), .vacant .picture, .ratio span, input:not([type=range], [type=radio], [type=checkbox], [type=file])';

/** Returns the texts, lines and icons that are too faint, with their contrast. */
function findFaint(el: SvcUploader): string[] {
  const dialog = el.shadowRoot!.querySelector('dialog[open]');
  const shown = [...(dialog ?? el.shadowRoot!.querySelector('.root')!).querySelectorAll('*')].filter(
    (element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      !element.closest('.hidden, [hidden], :disabled'),
  );
  const faint: string[] = [];
  const check = (element: Element, kind: string, color: string, background: Rgb, minimum: number) => {
    const found = contrast(over(color, background), background);
    if (found < minimum)
      faint.push(`${kind} of ${element.localName}.${element.getAttribute('class') ?? ''}: ${found.toFixed(2)}`);
  };
  for (const element of shown) {
    const { color, borderTopColor, stroke } = getComputedStyle(element);
    const background = backgroundOf(element);
    const outside = () => backgroundOf(element.parentElement);
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\S/.test(node.textContent!));
    if ((hasText && element.className !== 'whole') || element.hasAttribute('data-text'))
      check(element, 'text', color, background, 4.5);
    if (element.localName === 'svg' && element.getAttribute('class') !== 'ring') check(element, 'icon', color, background, 3);
    if (element.matches('.ring-value')) check(element, 'line', stroke, backgroundOf(element.closest('.portrait')), 3);
    if (element.matches(BORDERED)) check(element, 'border', borderTopColor, outside(), 3);
    if (element.localName === 'progress') check(element, 'line', color, outside(), 3);
  }
  return [...new Set(faint)];
}

/** Waits until the element has measured a background. */
async function waitForBackground(el: SvcUploader, background: string): Promise<void> {
  const page = `rgb(${over(background, [255, 255, 255]).join(', ')})`;
  const measured = () => find(el, '.root').style.getPropertyValue('--_page-background');
  await until(() => measured() === page);
  await waitForPaint(el);
}

/** Expects that everything is visible on all pages. */
async function expectContrast(...elements: SvcUploader[]): Promise<void> {
  const failures: string[] = [];
  for (const el of elements) el.style.setProperty('--svc-uploader-duration', '0s');
  for (const [background, text, accent = ''] of PAGES) {
    Object.assign(document.body.style, { backgroundColor: background, color: text, accentColor: accent });
    await Promise.all(elements.map((el) => waitForBackground(el, background)));
    for (const el of elements) failures.push(...findFaint(el).map((one) => `${text} on ${background}: ${one}`));
  }
  expect(failures.slice(0, 20)).to.deep.equal([]);
}

describe('the contrast of the element', () => {
  afterEach(() => {
    document.body.removeAttribute('style');
    removeAll();
  });

  for (const appearance of ['dropzone', 'grid'])
    itOnce(`suffices on every page, with files in every state: ${appearance}`, async () => {
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
      await expectContrast(el, hanging);
      expect(find(el, '.done')).to.not.equal(null);
    });

  const avatar = { appearance: 'avatar', label: 'Your picture', 'allowed-extensions': 'png', 'max-size': '5MB' };
  for (const shape of ['circle', 'square'])
    itOnce(`suffices on every page, with one picture in every state: ${shape}`, async () => {
      const create = async (storage: string, attributes: Attributes = {}) => {
        const el = await createUploader({ ...avatar, shape, ...attributes }, { storage });
        await until(() => find(el, '.portrait') !== null);
        return el;
      };
      const elements = [await create('store'), await create('store', { manual: true })];
      for (const [storage, selector] of [
        ['store', '.done'],
        ['hang', '.ring-value'],
        ['refuse/CHECKSUM_MISMATCH/422', '.problem'],
      ] as const) {
        const el = await create(storage);
        elements.push(el);
        await el.addFiles([await createPicture('image/png')]);
        await until(() => find(el, selector) !== null);
      }
      await elements[1]!.addFiles([await createPicture('image/png')]);
      await elements[0]!.addFiles([createFile('notes.txt')]);
      await until(() => find(elements[0]!, '[part~=error]') !== null);
      await expectContrast(...elements);
    });

  itOnce('suffices on every page, in the editor and in its errors', async () => {
    const create = async (file: File) => {
      const el = await createUploader({ editable: true, multiple: true, manual: true, 'crop-ratio': 'free, 1:1, 16:9' });
      await el.addFiles([file]);
      await until(() => find(el, '[part=edit-button]') !== null);
      find(el, '[part=edit-button]').click();
      return el;
    };
    const el = await create(await createPicture('image/png', 400, 300));
    await until(() => find<HTMLButtonElement>(el, 'dialog .primary')?.disabled === false);
    await expectContrast(el);
    removeAll();
    const unreadable = await create(createFile('broken.png', 10, 'image/png'));
    await until(() => find(unreadable, '.editor-message')?.textContent !== '');
    await expectContrast(unreadable);
  });

  itOnce('suffices on every page, in the lightbox', async () => {
    const el = await createUploader({ appearance: 'grid', multiple: true, manual: true });
    await el.addFiles([await createPicture('image/png', 400, 300), await createPicture('image/jpeg', 400, 300)]);
    await until(() => find(el, 'button[part=thumbnail]') !== null);
    find(el, 'button[part=thumbnail]').click();
    await until(() => find<HTMLDialogElement>(el, '[part=lightbox]')?.open);
    await expectContrast(el);
  });

  it('suffices on every page, in fields of each file', async () => {
    const el = await createUploader({
      multiple: true,
      fields: '[{"name":"caption","label":"Caption","required":true},{"name":"kind","label":"Kind","options":["a","b"]}]',
    });
    await el.addFiles([createFile('a.pdf')]);
    await until(() => find(el, '.fields') !== null);
    await expectContrast(el);
  });

  describe('on a page whose theme changes only the background', () => {
    const theme = document.createElement('style');
    theme.textContent = 'body { color: #777; background: #fff } .dark body { background: #000 }';

    beforeEach(() => document.head.append(theme));
    afterEach(() => {
      theme.remove();
      document.documentElement.className = '';
    });

    const createOnLightPage = async () => {
      const el = await createUploader({ label: 'Attachments', 'max-size': 100_000 });
      el.style.setProperty('--svc-uploader-duration', '0s');
      await waitForBackground(el, '#fff');
      return el;
    };

    it('suffices when an attribute changed it', async () => {
      const el = await createOnLightPage();
      document.documentElement.className = 'dark';
      await waitForBackground(el, '#000');
      expect(findFaint(el)).to.deep.equal([]);
    });

    it('suffices when it faded', async () => {
      document.body.style.transition = 'background-color 100ms';
      const el = await createOnLightPage();
      document.documentElement.className = 'dark';
      await waitForBackground(el, '#000');
      expect(findFaint(el)).to.deep.equal([]);
    });

    it('suffices in a shadow tree whose host changed it', async () => {
      const host = document.createElement('div');
      document.body.append(host);
      host.attachShadow({ mode: 'open' });
      const el = await createOnLightPage();
      host.shadowRoot!.append(el);
      await waitForPaint(el);
      host.style.background = '#000';
      await waitForBackground(el, '#000');
      expect(findFaint(el)).to.deep.equal([]);
      host.remove();
    });
  });
});

// Every browser: engines lay out narrow pages differently.
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { LANGUAGES } from '../../../src/element/locales/languages.js';
import { createFile, find, waitForPaint, removeAll, until, createUploader } from './fixture.js';

const WIDTHS = [280, 320, 390] as const;
const waitForStatus = (el: SvcUploader, status: string) => until(() => el.uploads.every(({ state }) => state.status === status));
const measureHeight = (el: SvcUploader, selector: string) => find(el, selector).getBoundingClientRect().height;

async function createNarrowUploader(
  width: number,
  attributes: Record<string, string | boolean>,
  storage: string,
): Promise<SvcUploader> {
  const parent = document.body.appendChild(document.createElement('div'));
  parent.style.width = `${width}px`;
  return createUploader(attributes, { storage, parent });
}

/** Returns whether the whole text of an element is visible. */
const isWhole = (one: HTMLElement) => one.scrollWidth <= one.clientWidth + 1 || getComputedStyle(one).display === 'inline';

/** Expects that the buttons of the summary are inside it, and apart from its text. */
function expectSummaryUncovered(el: SvcUploader, setting: string): void {
  const range = document.createRange();
  range.selectNodeContents(find(el, '.summary-text'));
  const buttons = [...el.shadowRoot!.querySelectorAll<HTMLElement>('.summary .plain')];
  expect(buttons).to.have.length(2);
  const box = find(el, '.summary').getBoundingClientRect();
  for (const { left, right, top, bottom } of buttons.map((one) => one.getBoundingClientRect())) {
    expect([left >= box.left, right <= box.right, bottom <= box.bottom + 0.5], setting).to.deep.equal([true, true, true]);
    for (const lineBox of range.getClientRects()) {
      const apart = lineBox.right <= left + 1 || lineBox.left >= right - 1 || lineBox.bottom <= top + 8 || lineBox.top >= bottom;
      expect(apart, `${setting}: ${find(el, '.summary').textContent}`).to.equal(true);
    }
  }
}

function setOnline(online: boolean): void {
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
  dispatchEvent(new Event(online ? 'online' : 'offline'));
}

describe('on a phone', () => {
  afterEach(() => {
    delete (navigator as { onLine?: boolean }).onLine;
    removeAll();
  });

  it('a summary of failed files covers nothing, in any language', async () => {
    const el = await createNarrowUploader(WIDTHS[0], { multiple: true }, 'refuse/NOT_FOUND/404');
    await el.addFiles([createFile('a.bin', 300_000), createFile('b.bin', 300_001)]);
    await waitForStatus(el, 'failed');
    for (const locale of ['en', ...Object.keys(LANGUAGES)]) {
      el.setAttribute('locale', locale);
      await until(() => find(el, '.root').lang === locale && find(el, '.plain') !== null);
      for (const width of WIDTHS) {
        el.parentElement!.style.width = `${width}px`;
        await waitForPaint(el);
        expectSummaryUncovered(el, `${locale}, ${width}`);
      }
    }
  });

  for (const width of WIDTHS) {
    for (const locale of ['en', 'de', 'ar'])
      it(`rows that wait for the next attempt keep their height, and the summary shows its whole text: ${width}, ${locale}`, async () => {
        const attributes = { multiple: true, locale };
        const before = await createNarrowUploader(width, attributes, 'hang');
        const el = await createNarrowUploader(width, attributes, 'away');
        const big = () => [createFile('photo.jpg', 3_000_000), createFile('another-photo.jpg', 400_000)];
        await Promise.all([before.addFiles(big()), el.addFiles(big())]);
        await waitForStatus(el, 'waiting');
        await waitForPaint(el);
        await waitForPaint(el);
        expect(measureHeight(el, '.row')).to.equal(measureHeight(before, '.row'));
        for (const one of el.shadowRoot!.querySelectorAll<HTMLElement>('.row .state, .summary-title span, .summary-details'))
          expect(isWhole(one)).to.equal(true);
      });

    it(`a long list shows how far each file is: ${width}`, async () => {
      // A page has a margin.
      const el = await createNarrowUploader(width - 32, { multiple: true }, 'hang');
      el.transport = { send: (_file, { progress }) => new Promise(() => progress(290_000)) };
      await el.addFiles(Array.from({ length: 60 }, (_, index) => createFile(`${index}.jpg`, 300_000 + index)));
      const shown = () => [...el.shadowRoot!.querySelectorAll<HTMLElement>('.row.active .state')];
      await until(() => shown().length > 0 && shown().every(({ textContent }) => textContent === '96%'));
      expect(shown().map((one) => [one.textContent, isWhole(one)])).to.deep.equal(shown().map(() => ['96%', true]));
      for (const { parentElement } of shown()) expect(parentElement!.scrollWidth).to.be.at.most(parentElement!.clientWidth + 1);
    });

    it(`controls of fields are beside each other, whatever the lengths of their labels: ${width}`, async () => {
      const fields = JSON.stringify([
        { name: 'a', label: 'A' },
        { name: 'b', label: 'A label of several lines, which is much longer than the other one' },
      ]);
      const el = await createNarrowUploader(width, { multiple: true, fields }, 'store');
      await el.addFiles([createFile('a.pdf')]);
      await until(() => find(el, '.field') !== null);
      const [first, second] = [...el.shadowRoot!.querySelectorAll('.field input')].map((one) => one.getBoundingClientRect());
      expect(first!.top === second!.top || first!.left === second!.left, 'in a line or in a column').to.equal(true);
    });

    it(`a summary keeps its height when the connection is lost: ${width}`, async () => {
      const el = await createNarrowUploader(width, { multiple: true }, 'hang');
      await el.addFiles([createFile('a.bin', 300_000), createFile('b.bin', 300_000)]);
      await waitForStatus(el, 'uploading');
      await waitForPaint(el);
      const before = measureHeight(el, '.summary');
      setOnline(false);
      await waitForStatus(el, 'waiting');
      await waitForPaint(el);
      expect(find(el, '.summary').textContent).to.include('You’re offline.');
      expect(measureHeight(el, '.summary')).to.equal(before);
    });

    it(`a single row keeps its height when the connection is lost: ${width}`, async () => {
      const el = await createNarrowUploader(width, {}, 'hang');
      await el.addFiles([createFile('a.bin', 300_000)]);
      await waitForStatus(el, 'uploading');
      await waitForPaint(el);
      const before = measureHeight(el, '.row');
      setOnline(false);
      await waitForStatus(el, 'waiting');
      await waitForPaint(el);
      expect(find(el, '.state').textContent).to.equal('You’re offline. The upload continues when you reconnect.');
      expect(measureHeight(el, '.row')).to.equal(before);
    });

    it(`the single file of the inline appearance can be read: ${width}`, async () => {
      const el = await createNarrowUploader(width, { appearance: 'inline' }, 'store');
      await el.addFiles([createFile('contract-2026.pdf', 300_000)]);
      await waitForStatus(el, 'done');
      await waitForPaint(el);
      for (const one of el.shadowRoot!.querySelectorAll<HTMLElement>('.one .head, .one .state'))
        expect(
          isWhole(one),
          `${one.textContent} ${one.scrollWidth} ${one.clientWidth} ${one.getBoundingClientRect().width} ${find(el, '.pick').getBoundingClientRect().width} ${find(el, '.one').getBoundingClientRect().width}`,
        ).to.equal(true);
    });
  }
});

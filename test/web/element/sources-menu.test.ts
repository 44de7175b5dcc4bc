// Every browser: browsers implement popovers and the focus differently.
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { canRecord, untilSourcesLoaded } from './fake-devices.js';
import { createUploader, find, removeAll, until, waitForPaint } from './fixture.js';
import type { Attributes } from './fixture.js';
import { watchListeners } from './watch-listeners.js';

const ALL = 'device camera screen microphone';

const menuOf = (el: SvcUploader) => find(el, '.source-menu');
const isOpen = (el: SvcUploader) => menuOf(el)?.matches(':popover-open') ?? false;
const entries = (el: SvcUploader) => [...el.shadowRoot!.querySelectorAll<HTMLElement>('[role=menuitem]')];
const texts = (el: SvcUploader) => entries(el).map(({ textContent }) => textContent!.trim());
const focused = (el: SvcUploader) => el.shadowRoot!.activeElement?.textContent?.trim();

async function create(attributes: Attributes = {}): Promise<SvcUploader> {
  const el = await createUploader({ multiple: true, manual: true, sources: ALL, ...attributes });
  await untilSourcesLoaded(el);
  return el;
}

async function open(el: SvcUploader): Promise<void> {
  find(el, '.pick').click();
  await until(() => isOpen(el) && find(el, '.pick').getAttribute('aria-expanded') === 'true');
}

/** @returns whether the key is left to the browser */
function press(el: SvcUploader, key: string): boolean {
  return el.shadowRoot!.activeElement!.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, composed: true }),
  );
}

/** Counts how often the picker for files of the device opens. */
function countPickers(el: SvcUploader): () => number {
  let count = 0;
  find(el, 'input[type=file]').addEventListener('click', (event) => {
    event.preventDefault();
    count++;
  });
  return () => count;
}

describe('the menu of the sources', () => {
  afterEach(removeAll);

  it('is absent without the attribute', async () => {
    const el = await createUploader({ multiple: true });
    const picks = countPickers(el);
    find(el, '.pick').click();
    expect([picks(), find(el, '.pick').hasAttribute('aria-haspopup'), find(el, '.source-menu')]).to.deep.equal([1, false, null]);
  });

  it('is absent with the device alone', async () => {
    const el = await create({ sources: 'device' });
    const picks = countPickers(el);
    find(el, '.pick').click();
    expect([picks(), find(el, '.pick').hasAttribute('aria-haspopup'), entries(el).length]).to.deep.equal([1, false, 0]);
  });

  it('lists the sources in the order of the attribute', async function () {
    if (!canRecord) this.skip();
    const el = await create({ sources: 'Microphone, device DEVICE camera' });
    expect(texts(el)).to.deep.equal(['Record sound', 'Choose from this device', 'Take a photo', 'Record a video']);
    el.locale = 'de';
    await until(() => texts(el)[0] === 'Ton aufnehmen');
    expect(texts(el)).to.deep.equal(['Ton aufnehmen', 'Von diesem Gerät auswählen', 'Foto aufnehmen', 'Video aufnehmen']);
  });

  it('lists no source whose files the element does not accept', async function () {
    if (!canRecord) this.skip();
    const el = await create({ accept: 'image/*' });
    expect(texts(el)).to.deep.equal(['Choose from this device', 'Take a photo']);
    el.accept = '.pdf';
    await el.updateComplete;
    expect(texts(el), 'the button opens the picker').to.deep.equal([]);
    el.accept = '';
    el.allowedExtensions = 'png, txt';
    await el.updateComplete;
    expect(texts(el)).to.deep.equal(['Choose from this device', 'Take a photo']);
  });

  it('lists no source that needs a missing interface, as on a page without https', async () => {
    Object.defineProperty(navigator, 'mediaDevices', { value: undefined, configurable: true });
    try {
      const el = await create({ sources: `${ALL} device` });
      expect(entries(el).length).to.equal(0);
    } finally {
      delete (navigator as { mediaDevices?: unknown }).mediaDevices;
    }
  });

  it('is absent in browsers without popovers', async () => {
    const popover = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'popover')!;
    delete (HTMLElement.prototype as { popover?: unknown }).popover;
    try {
      const el = await create();
      const picks = countPickers(el);
      find(el, '.pick').click();
      expect([picks(), entries(el).length]).to.deep.equal([1, 0]);
    } finally {
      Object.defineProperty(HTMLElement.prototype, 'popover', popover);
    }
  });

  it('opens after the next render if the page has just added sources', async function () {
    if (!canRecord) this.skip();
    const el = await create({ sources: 'device' });
    const picks = countPickers(el);
    el.sources = ALL;
    find(el, '.pick').click();
    expect(picks()).to.equal(0);
    await el.updateComplete;
    await open(el);
    expect(isOpen(el)).to.equal(true);
  });

  it('listens to nothing any more if it disappears while it is open', async function () {
    if (!canRecord) this.skip();
    for (const act of [
      (el: SvcUploader) => el.remove(),
      (el: SvcUploader) => (el.sources = ''),
      (el: SvcUploader) => (el.accept = '.pdf'),
    ]) {
      const el = await create({ sources: 'device camera' });
      const listeners = watchListeners();
      await open(el);
      expect(listeners.left()).to.include.members(['scroll: 1', 'resize: 1']);
      act(el);
      await until(() => listeners.left().length === 0);
      listeners.stop();
      expect(listeners.left()).to.deep.equal([]);
    }
  });

  it('reports an unknown source once, and offers the others', async () => {
    const { warn } = console;
    const warnings: unknown[] = [];
    console.warn = (text: unknown) => warnings.push(text);
    try {
      const el = await create({ sources: 'device kamera' });
      await until(() => warnings.length > 0);
      el.requestUpdate();
      await el.updateComplete;
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(
        /^<svc-uploader>: sources="device kamera" cannot be used\. Write one or more of "device", "camera"/,
      );
    } finally {
      console.warn = warn;
    }
  });

  it('opens with the focus on the first entry, and moves it with the keys', async function () {
    if (!canRecord) this.skip();
    const el = await create({ sources: 'device camera' });
    const pick = find(el, '.pick');
    expect([pick.getAttribute('aria-haspopup'), pick.getAttribute('aria-expanded')]).to.deep.equal(['menu', 'false']);
    pick.focus();
    await open(el);
    expect([pick.getAttribute('aria-expanded'), focused(el)]).to.deep.equal(['true', 'Choose from this device']);
    const visited = ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Home', 'End'].map((key) => {
      press(el, key);
      return focused(el);
    });
    expect(visited).to.deep.equal([
      'Take a photo',
      'Record a video',
      'Choose from this device',
      'Record a video',
      'Choose from this device',
      'Record a video',
    ]);
    expect([press(el, 'End'), press(el, 'a')], 'other keys are left to the browser').to.deep.equal([false, true]);
    menuOf(el).hidePopover();
    await until(() => pick.getAttribute('aria-expanded') === 'false');
    expect(focused(el), 'the focus returns').to.equal('Choose files');
  });

  it('closes when the person chooses, scrolls or presses Tab, and when the element becomes disabled', async function () {
    if (!canRecord) this.skip();
    const el = await create({ sources: 'device camera' });
    const picks = countPickers(el);
    await open(el);
    entries(el)[0]!.click();
    expect([isOpen(el), picks()]).to.deep.equal([false, 1]);
    await open(el);
    press(el, 'Tab');
    expect(isOpen(el), 'Tab').to.equal(false);
    await open(el);
    dispatchEvent(new Event('scroll'));
    expect(isOpen(el), 'scroll').to.equal(false);
    await open(el);
    el.disabled = true;
    entries(el)[0]!.click();
    await el.updateComplete;
    expect([isOpen(el), picks()], 'nothing can be chosen').to.deep.equal([false, 1]);
    el.disabled = false;
    await el.updateComplete;
    await open(el);
    el.disabled = true;
    await el.updateComplete;
    expect(isOpen(el), 'disabled').to.equal(false);
  });

  it('opens from the drop zone, closes with a press on its button, and stays inside the window', async function () {
    if (!canRecord) this.skip();
    const el = await create();
    find(el, '.zone').click();
    await until(() => isOpen(el));
    const { left, top, right, bottom } = menuOf(el).getBoundingClientRect();
    expect([left >= 0, top >= 0, right <= innerWidth, bottom <= innerHeight]).to.deep.equal([true, true, true, true]);
    // The browser closes the menu between the press and the click.
    find(el, '.pick').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, composed: true }));
    menuOf(el).hidePopover();
    await waitForPaint(el);
    find(el, '.pick').click();
    expect(isOpen(el)).to.equal(false);
    find(el, '.pick').click();
    expect(isOpen(el)).to.equal(true);
  });

  it('opens above a button at the bottom, and aligned with its end from right to left', async function () {
    if (!canRecord) this.skip();
    const el = await create({ locale: 'ar' });
    await until(() => find(el, '.root').dir === 'rtl');
    Object.assign(el.style, { position: 'fixed', bottom: '0', right: '0', width: '400px' });
    await open(el);
    const [menu, pick] = [menuOf(el), find(el, '.pick')].map((one) => one.getBoundingClientRect()) as [DOMRect, DOMRect];
    expect([menu.bottom < pick.top, Math.abs(menu.right - pick.right) < 1]).to.deep.equal([true, true]);
  });

  for (const appearance of ['inline', 'button', 'grid', 'avatar'])
    it(`opens in the appearance ${appearance}`, async function () {
      if (!canRecord) this.skip();
      const el = await create({ appearance, accept: 'image/*, video/*' });
      await open(el);
      expect(texts(el).length).to.be.greaterThan(2);
    });

  it('is replaced by a button for the only source', async function () {
    if (!canRecord) this.skip();
    const el = await create({ sources: 'camera', accept: 'image/*' });
    expect([find(el, '.pick').textContent!.trim(), find(el, '.source-menu')]).to.deep.equal(['Take a photo', null]);
  });
});

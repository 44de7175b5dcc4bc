import { expect } from 'chai';
import { file, inside, once, painted, removeAll, rows, texts, until, uploader } from './fixture.js';

const sentAnything = () => performance.getEntriesByType('resource').some(({ name }) => name.includes('/storage/'));

describe('a choice that cannot be made ready, as the code for it does not load', () => {
  const part = '/missing?path=/src/element/picking/collect-files.ts';
  before(() => fetch(part));
  after(() => fetch(`${part}&back`));
  afterEach(removeAll);

  it('is listed as failed, makes the form wait for a decision, and is never sent as it is', async () => {
    const el = await uploader({ 'strip-location': true, multiple: true });
    const ended = once(el, 'svc-complete');
    await el.addFiles([file('a.jpg'), file('b.jpg')]);
    expect((await ended).detail.failed.map(({ name }) => name)).to.deep.equal(['a.jpg', 'b.jpg']);
    await painted(el);
    expect(texts(el, 'error')).to.deep.equal(Array(2).fill('Part of the page did not load. Try again, or reload the page.'));
    expect(rows(el).every((row) => row.querySelector('[part="retry-button"]'))).to.equal(true);
    expect(el.validity.badInput).to.equal(true);
    const once_more = once(el, 'svc-complete');
    el.retry();
    await once_more;
    expect(el.uploads.map(({ name, state }) => `${name} ${state.status}`)).to.deep.equal(['a.jpg failed', 'b.jpg failed']);
    expect(sentAnything()).to.equal(false);
    el.stripLocation = false;
    await el.updateComplete;
    const third = once(el, 'svc-complete');
    el.retry(el.uploads[0]!.id);
    expect((await third).detail.successful.map(({ name }) => name)).to.deep.equal(['a.jpg']);
  });

  it('leaves the single file that is stored, and is tried again beside it', async () => {
    const el = await uploader();
    const done = once(el, 'svc-complete');
    await el.addFiles([file('good.pdf')]);
    await done;
    el.stripLocation = true;
    await el.updateComplete;
    const states = () => el.uploads.map(({ name, state }) => `${name} ${state.status}`);
    for (const name of ['a.jpg', 'b.jpg']) {
      await el.addFiles([file(name)]);
      expect(states()).to.deep.equal(['good.pdf done', `${name} failed`]);
      expect(el.value).to.equal('docs/good.pdf');
    }
    expect([el.validity.rangeOverflow, el.validity.badInput]).to.deep.equal([false, true]);
    el.stripLocation = false;
    await el.updateComplete;
    const replaced = once(el, 'svc-complete');
    el.retry();
    await replaced;
    expect(states()).to.deep.equal(['b.jpg done']);
  });

  it('is a row with the name of the folder that was dropped', async () => {
    const el = await uploader({ multiple: true, manual: true });
    const failed: (File | null)[] = [];
    el.addEventListener('svc-upload-error', ({ detail }) => failed.push(detail.file));
    const entry = { isDirectory: true, name: 'holidays' };
    const items = [
      { kind: 'file', webkitGetAsEntry: () => entry },
      { kind: 'file', getAsFile: () => file('beside.txt') },
    ];
    const event = new Event('drop', { bubbles: true, cancelable: true });
    Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], files: [], items } });
    el.dispatchEvent(event);
    await until(() => el.uploads.length === 2);
    expect(el.uploads.map(({ name, state }) => `${name} ${state.status}`)).to.have.members([
      'holidays failed',
      'beside.txt failed',
    ]);
    // Nobody chose an empty file of that name.
    expect(el.files.map(({ name }) => name)).to.deep.equal(['beside.txt']);
    expect(failed.map((one) => one?.name)).to.have.members([undefined, 'beside.txt']);
    await painted(el);
    expect(inside(el, '[part="list"]').textContent).to.include('holidays');
    el.retry();
    await until(() => failed.length === 4);
    expect(el.uploads.map(({ name }) => name)).to.have.members(['holidays', 'beside.txt']);
  });

  it('goes, last of these tests, once the code can be had, although the browser remembers that it could not', async () => {
    const el = await uploader({ 'strip-location': true, multiple: true });
    const failed = once(el, 'svc-complete');
    await el.addFiles([file('a.jpg')]);
    await failed;
    await fetch(`${part}&back`);
    for (const name of ['a.jpg', 'b.jpg']) {
      const done = once(el, 'svc-complete');
      if (name === 'a.jpg') el.retry();
      else await el.addFiles([file(name)]);
      expect((await done).detail.successful.map((one) => one.name)).to.deep.equal([name]);
    }
  });
});

describe('what is loaded for the rows', () => {
  const miss = (path: string, back = '') => fetch(`/missing?path=/src/element/${path}.ts${back}`);
  afterEach(removeAll);

  it('leaves them in their order where it does not load, and can be had with the next choice', async () => {
    await miss('view/reorder');
    const refused = (event: PromiseRejectionEvent) => unhandled.push(event.reason);
    const unhandled: unknown[] = [];
    addEventListener('unhandledrejection', refused);
    const el = await uploader({ multiple: true, manual: true, reorderable: true });
    await el.addFiles([file('a.txt'), file('b.txt')]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await painted(el);
    expect(rows(el)).to.have.length(2);
    expect(inside(el, '[part=move-button]')).to.equal(null);
    await miss('view/reorder', '&back');
    await el.addFiles([file('c.txt')]);
    await until(() => inside(el, '[part=move-button]') !== null);
    expect(el.shadowRoot!.querySelectorAll('[part=move-button]')).to.have.length(3);
    removeEventListener('unhandledrejection', refused);
    expect(unhandled).to.deep.equal([]);
  });

  it('leaves them without pictures where it does not load, and draws those of the next', async () => {
    await miss('view/thumbnails');
    const canvas = new OffscreenCanvas(9, 9);
    canvas.getContext('2d')!.fillRect(0, 0, 9, 9);
    const blob = await canvas.convertToBlob({ type: 'image/png' });
    const picture = (name: string) => new File([blob], name, { type: 'image/png' });
    const el = await uploader({ multiple: true, manual: true });
    await el.addFiles([picture('a.png')]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const drawn = () => Array.from(el.shadowRoot!.querySelectorAll('canvas'), (one) => one.classList.contains('drawn'));
    expect(drawn()).to.deep.equal([false]);
    await miss('view/thumbnails', '&back');
    await el.addFiles([picture('b.png')]);
    await until(() => drawn()[1] === true);
    expect(drawn()).to.deep.equal([false, true]);
  });

  it('leaves them in English where a language does not load, and speaks it once it can be had', async () => {
    await miss('locales/fr');
    const { setTimeout } = window;
    // Not ten seconds, after which it is asked for once more.
    window.setTimeout = ((run: () => void, ms?: number) => setTimeout(run, ms === 10_000 ? 50 : ms)) as typeof setTimeout;
    try {
      const el = await uploader({ locale: 'fr' });
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(texts(el, 'file-selector-button')).to.deep.equal(['Choose a file']);
      await miss('locales/fr', '&back');
      for (let turn = 0; turn < 20 && texts(el, 'file-selector-button')[0] === 'Choose a file'; turn += 1) {
        el.requestUpdate();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(texts(el, 'file-selector-button')).to.deep.equal(['Choisir un fichier']);
    } finally {
      window.setTimeout = setTimeout;
    }
  });
});

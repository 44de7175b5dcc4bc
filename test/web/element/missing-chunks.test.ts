import { expect } from 'chai';
import { createFile, find, once, waitForPaint, removeAll, findRows, readTexts, until, createUploader } from './fixture.js';

const hasSentRequests = () => performance.getEntriesByType('resource').some(({ name }) => name.includes('/storage/'));

/** Makes the test server drop requests for a module, until `restore`. */
const dropModule = (path: string) => fetch(`/missing?path=/src/element/${path}.ts`);
const restoreModule = (path: string) => fetch(`/missing?path=/src/element/${path}.ts&back`);

/** A plain `import()`. The test server would change the address of one that it sees in the source. */
const importModule = new Function('address', 'return import(address)') as (address: string) => Promise<unknown>;

/**
 * Waits until the element's imports of a dropped module have failed: the first one, and the second one with a fragment. An import of
 * the same address shares their result.
 */
async function importFails(path: string): Promise<void> {
  const address = new URL(`/src/element/${path}.ts`, location.href).href;
  for (const fragment of ['', '#1']) await importModule(address + fragment).catch(() => {});
}

describe('a file whose fields do not load', () => {
  const chunk = 'fields/file-fields';
  before(() => dropModule(chunk));
  after(() => restoreModule(chunk));
  afterEach(removeAll);

  it('is held with a message, and has its fields with the next choice', async () => {
    const el = await createUploader({ fields: '[{"name":"caption","label":"Caption","required":true}]', multiple: true });
    await el.addFiles([createFile('a.pdf', 300_000)]);
    await importFails(chunk);
    const message = 'Part of the page did not load. Try again or reload the page.';
    await until(() => readTexts(el, 'note')[0] === message);
    expect(readTexts(el, 'note')).to.deep.equal([message]);
    el.upload();
    await waitForPaint(el);
    expect(el.uploads[0]!.state.status).to.equal('queued');
    await restoreModule(chunk);
    await el.addFiles([createFile('b.pdf', 300_000)]);
    await until(() => el.shadowRoot!.querySelectorAll('[part=fields]').length === 2);
    expect(el.shadowRoot!.querySelectorAll('[part=fields]')).to.have.length(2);
    expect(el.uploads.map(({ state }) => state.status)).to.deep.equal(['queued', 'queued']);
    expect(hasSentRequests()).to.equal(false);
  });
});

describe('a choice whose code for preparation does not load', () => {
  const chunk = 'picking/collect-files';
  before(() => dropModule(chunk));
  after(() => restoreModule(chunk));
  afterEach(removeAll);

  it('is listed as failed, makes the element invalid, and is never sent unprepared', async () => {
    const el = await createUploader({ 'strip-location': true, multiple: true });
    const firstAttempt = once(el, 'svc-complete');
    await el.addFiles([createFile('a.jpg'), createFile('b.jpg')]);
    expect((await firstAttempt).detail.failed.map(({ name }) => name)).to.deep.equal(['a.jpg', 'b.jpg']);
    await waitForPaint(el);
    expect(find(el, '.summary-details').textContent).to.equal('Part of the page did not load. Try again or reload the page.');
    expect(readTexts(el, 'error')).to.deep.equal(['Not uploaded', 'Not uploaded']);
    expect(findRows(el).every((row) => row.querySelector('[part="retry-button"]'))).to.equal(true);
    expect(el.validity.badInput).to.equal(true);
    const secondAttempt = once(el, 'svc-complete');
    el.retry();
    await secondAttempt;
    expect(el.uploads.map(({ name, state }) => `${name} ${state.status}`)).to.deep.equal(['a.jpg failed', 'b.jpg failed']);
    expect(hasSentRequests()).to.equal(false);
    el.stripLocation = false;
    await el.updateComplete;
    const thirdAttempt = once(el, 'svc-complete');
    el.retry(el.uploads[0]!.id);
    expect((await thirdAttempt).detail.successful.map(({ name }) => name)).to.deep.equal(['a.jpg']);
  });

  it('leaves a stored single file in the list, and can be retried beside it', async () => {
    const el = await createUploader();
    const done = once(el, 'svc-complete');
    await el.addFiles([createFile('good.pdf')]);
    await done;
    el.stripLocation = true;
    await el.updateComplete;
    const states = () => el.uploads.map(({ name, state }) => `${name} ${state.status}`);
    for (const name of ['a.jpg', 'b.jpg']) {
      await el.addFiles([createFile(name)]);
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

  it('shows a dropped folder as a row with the name of the folder', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    const failed: (File | null)[] = [];
    el.addEventListener('svc-upload-error', ({ detail }) => failed.push(detail.file));
    const entry = { isDirectory: true, name: 'holidays' };
    const items = [
      { kind: 'file', webkitGetAsEntry: () => entry },
      { kind: 'file', getAsFile: () => createFile('beside.txt') },
    ];
    const event = new Event('drop', { bubbles: true, cancelable: true });
    Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], files: [], items } });
    el.dispatchEvent(event);
    await until(() => el.uploads.length === 2);
    expect(el.uploads.map(({ name, state }) => `${name} ${state.status}`)).to.have.members([
      'holidays failed',
      'beside.txt failed',
    ]);
    // The person chose no file named like the folder.
    expect(el.files.map(({ name }) => name)).to.deep.equal(['beside.txt']);
    expect(failed.map((one) => one?.name)).to.have.members([undefined, 'beside.txt']);
    await waitForPaint(el);
    expect(find(el, '[part="list"]').textContent).to.include('holidays');
    el.retry();
    await until(() => failed.length === 4);
    expect(el.uploads.map(({ name }) => name)).to.have.members(['holidays', 'beside.txt']);
  });

  it('is sent once the code can be loaded, although the browser remembers the failure', async () => {
    const el = await createUploader({ 'strip-location': true, multiple: true });
    const failed = once(el, 'svc-complete');
    await el.addFiles([createFile('a.jpg')]);
    await failed;
    await restoreModule(chunk);
    for (const name of ['a.jpg', 'b.jpg']) {
      const done = once(el, 'svc-complete');
      if (name === 'a.jpg') el.retry();
      else await el.addFiles([createFile(name)]);
      expect((await done).detail.successful.map((one) => one.name)).to.deep.equal([name]);
    }
  });
});

describe('an element whose chunk does not load', () => {
  const { setTimeout } = window;
  // Without the delay after which the element loads a chunk again, only the next choice loads it.
  before(() => {
    window.setTimeout = ((run: () => void, ms?: number) => (ms === 10_000 ? 0 : setTimeout(run, ms))) as typeof setTimeout;
  });
  after(() => void (window.setTimeout = setTimeout));
  afterEach(removeAll);

  it('has no move buttons, and loads the chunk again with the next choice', async () => {
    const chunk = 'view/reorder-controller';
    await dropModule(chunk);
    const onRejection = (event: PromiseRejectionEvent) => unhandled.push(event.reason);
    const unhandled: unknown[] = [];
    addEventListener('unhandledrejection', onRejection);
    const el = await createUploader({ multiple: true, manual: true, reorderable: true });
    await el.addFiles([createFile('a.txt'), createFile('b.txt')]);
    await waitForPaint(el);
    await importFails(chunk);
    await waitForPaint(el);
    expect(findRows(el)).to.have.length(2);
    expect(el.shadowRoot!.querySelectorAll('[part=move-button]')).to.have.length(0);
    await restoreModule(chunk);
    await el.addFiles([createFile('c.txt')]);
    await until(() => find(el, '[part=move-button]') !== null);
    expect(el.shadowRoot!.querySelectorAll('[part=move-button]')).to.have.length(3);
    removeEventListener('unhandledrejection', onRejection);
    expect(unhandled).to.deep.equal([]);
  });

  it('has no thumbnails, and draws those of the next choice', async () => {
    const chunk = 'view/draw-thumbnail';
    await dropModule(chunk);
    const canvas = new OffscreenCanvas(9, 9);
    canvas.getContext('2d')!.fillRect(0, 0, 9, 9);
    const blob = await canvas.convertToBlob({ type: 'image/png' });
    const image = (name: string) => new File([blob], name, { type: 'image/png' });
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles([image('a.png')]);
    await waitForPaint(el);
    await importFails(chunk);
    await waitForPaint(el);
    const drawn = () => Array.from(el.shadowRoot!.querySelectorAll('canvas'), (canvas) => canvas.classList.contains('drawn'));
    expect(drawn()).to.deep.equal([false]);
    await restoreModule(chunk);
    await el.addFiles([image('b.png')]);
    await until(() => drawn()[1] === true);
    expect(drawn()).to.deep.equal([false, true]);
  });

  it('shows files of a grid in a list, and as tiles with the next choice', async () => {
    const chunk = 'grid/grid-layout';
    await dropModule(chunk);
    const el = await createUploader({ appearance: 'grid', multiple: true, manual: true });
    await el.addFiles([createFile('a.txt')]);
    await importFails(chunk);
    const message = 'Part of the page did not load. Try again or reload the page.';
    await until(() => readTexts(el, 'note')[0] === message);
    expect([readTexts(el, 'note')[0], find(el, '.tile'), findRows(el).length]).to.deep.equal([message, null, 1]);
    await restoreModule(chunk);
    await el.addFiles([createFile('b.txt')]);
    await until(() => find(el, '.tile') !== null);
    expect([el.shadowRoot!.querySelectorAll('.tile').length, readTexts(el, 'note')]).to.deep.equal([2, []]);
  });

  it('has the button of an avatar, uploads the picture, and shows it with the next choice', async () => {
    const chunk = 'avatar/avatar';
    await dropModule(chunk);
    const el = await createUploader({ appearance: 'avatar' });
    await importFails(chunk);
    const stored = once(el, 'svc-complete');
    await el.addFiles([createFile('a.png', 10, 'image/png')]);
    await stored;
    const message = 'Part of the page did not load. Try again or reload the page.';
    await importFails(chunk);
    await until(() => readTexts(el, 'note')[0] === message);
    expect([readTexts(el, 'note')[0], find(el, '.portrait'), find(el, '.pick') !== null]).to.deep.equal([message, null, true]);
    await restoreModule(chunk);
    await el.addFiles([createFile('b.png', 10, 'image/png')]);
    await until(() => find(el, '.portrait') !== null);
    expect([find(el, '.portrait') !== null, readTexts(el, 'note')]).to.deep.equal([true, []]);
  });

  it('is in English if its language does not load, and changes once it can be loaded', async () => {
    const chunk = 'locales/fr';
    await dropModule(chunk);
    const { setTimeout } = window;
    // Shortens the ten seconds after which the element loads the language again.
    window.setTimeout = ((run: () => void, ms?: number) => setTimeout(run, ms === 10_000 ? 50 : ms)) as typeof setTimeout;
    try {
      const el = await createUploader({ locale: 'fr' });
      await importFails(chunk);
      await waitForPaint(el);
      expect(readTexts(el, 'file-selector-button')).to.deep.equal(['Choose a file']);
      await restoreModule(chunk);
      await until(() => {
        el.requestUpdate();
        return readTexts(el, 'file-selector-button')[0] !== 'Choose a file';
      });
      expect(readTexts(el, 'file-selector-button')).to.deep.equal(['Choisir un fichier']);
    } finally {
      window.setTimeout = setTimeout;
    }
  });
});

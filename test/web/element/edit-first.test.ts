import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, createUploader, find, once, readFormEntries, removeAll, until, waitForPaint } from './fixture.js';
import type { Attributes } from './fixture.js';
import { createPicture, delayWriting, pixelsOf } from './pictures.js';

describe('the picture editor before the upload', () => {
  let form: HTMLFormElement;
  beforeEach(() => {
    sessionStorage.clear();
    form = document.body.appendChild(document.createElement('form'));
  });
  afterEach(removeAll);

  const createElement = (attributes: Attributes = {}) =>
    createUploader({ name: 'avatar', editable: true, 'edit-first': true, 'crop-ratio': '1', ...attributes }, { parent: form });
  const dialogOf = (el: SvcUploader) => find<HTMLDialogElement>(el, 'dialog');

  /** Chooses a picture. The promise resolves when it is in the list, or the person canceled. */
  async function choose(el: SvcUploader, file: File): Promise<{ added: Promise<void> }> {
    const added = el.addFiles([file]);
    await until(() => find<HTMLButtonElement>(el, 'dialog .primary')?.disabled === false);
    expect(find<HTMLButtonElement>(el, 'dialog .primary').disabled).to.equal(false);
    return { added };
  }

  it('opens for a single picture, and only the edited one is uploaded', async () => {
    const el = await createElement();
    const { added } = await choose(el, await createPicture('image/png', 40, 20));
    expect([el.files.length, el.checkValidity()], 'the form waits').to.deep.equal([0, false]);
    expect(dialogOf(el).getBoundingClientRect().width, 'has its styles').to.be.greaterThan(300);
    expect(getComputedStyle(find(el, 'dialog .stage')).backgroundColor).to.equal('rgb(43, 43, 48)');
    const names: string[] = [];
    el.addEventListener('svc-file-add', ({ detail }) => names.push(detail.file.name));
    const success = once(el, 'svc-upload-success');
    find(el, 'dialog .primary').click();
    await added;
    await success;
    const { width, height } = await pixelsOf(el.files[0]!);
    expect([width, height, el.uploads.length, names]).to.deep.equal([20, 20, 1, ['picture.png']]);
    expect(readFormEntries(form, 'avatar')).to.deep.equal(['docs/picture.png']);
    await waitForPaint(el);
    await until(() => find(el, '[part=edit-button]') !== null);
    find(el, '[part=edit-button]').click();
    await until(() => find(el, '.crop-size') !== null);
    expect(find(el, '.crop-size').textContent!.trim(), 'starts from the chosen file').to.equal('20 × 20 pixels');
    await until(() => find<HTMLInputElement>(el, 'dialog input[type=range]')?.disabled === false);
    find(el, 'canvas.crop').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    find(el, 'dialog .primary').click();
    await until(() => dialogOf(el) === null);
    expect((await pixelsOf(el.files[0]!)).corners[1], 'has the other half').to.deep.equal([0, 255, 0]);
  });

  it('chooses nothing if it is canceled, and keeps the earlier picture', async () => {
    const el = await createElement();
    const first = await choose(el, await createPicture('image/png', 40, 20));
    find(el, 'dialog .primary').click();
    await first.added;
    const [kept] = el.files;
    const { added } = await choose(el, await createPicture('image/jpeg', 60, 20));
    const canceled = once(el, 'cancel');
    find(el, 'dialog .cancel').click();
    await Promise.all([added, canceled]);
    expect(el.files).to.deep.equal([kept]);
    await until(() => el.checkValidity());
    expect(el.checkValidity(), 'no longer busy').to.equal(true);
  });

  it('chooses nothing if it is canceled while the edited picture is written', async () => {
    const el = await createElement();
    const picture = await createPicture('image/png', 40, 20);
    const writing = delayWriting();
    try {
      const { added } = await choose(el, picture);
      const canceled = once(el, 'cancel');
      find(el, 'dialog .primary').click();
      await until(() => writing.finish !== undefined);
      find(el, 'dialog .cancel').click();
      // The browser fires `close` later.
      writing.finish!();
      await Promise.all([added, canceled]);
      expect([el.files, el.uploads.length]).to.deep.equal([[], 0]);
    } finally {
      writing.restore();
    }
  });

  it('chooses nothing if it is canceled before the picture turns out to be broken', async () => {
    const el = await createElement();
    const picture = await createPicture('image/png', 40, 20);
    const { createImageBitmap } = window;
    let fail: (() => void) | undefined;
    window.createImageBitmap = () =>
      new Promise((_resolve, reject) => (fail = () => reject(new DOMException('', 'InvalidStateError'))));
    try {
      const added = el.addFiles([picture]);
      await until(() => fail !== undefined);
      find(el, 'dialog .cancel').click();
      // The browser fires `close` later.
      fail!();
      await added;
      expect(el.files).to.deep.equal([]);
    } finally {
      window.createImageBitmap = createImageBitmap;
    }
  });

  it('does not open for several files, other files and pictures that cannot be edited', async () => {
    const el = await createElement({ multiple: true, manual: true });
    await el.addFiles([await createPicture('image/png'), await createPicture('image/jpeg')]);
    await el.addFiles([createFile('a.txt')]);
    await el.addFiles([new File(['GIF89a'], 'a.gif', { type: 'image/gif' })]);
    await el.addFiles([new File(['broken'], 'broken.jpg', { type: 'image/jpeg' })]);
    expect(el.files.map(({ name }) => name)).to.deep.equal(['picture.png', 'picture.jpg', 'a.txt', 'a.gif', 'broken.jpg']);
    expect(dialogOf(el)).to.equal(null);
  });

  it('works in an avatar, whose picture can be edited again', async () => {
    const el = await createElement({ appearance: 'avatar', manual: true });
    const { added } = await choose(el, await createPicture('image/png', 40, 20));
    find(el, 'dialog .primary').click();
    await added;
    await until(() => find(el, '[part=edit-button]') !== null);
    find(el, '[part=edit-button]').click();
    await until(() => find(el, '.crop-size') !== null);
    await until(() => find<HTMLButtonElement>(el, 'dialog .primary').disabled === false);
    find(el, 'dialog [aria-label="Mirror"]').click();
    find(el, 'dialog .primary').click();
    await until(() => dialogOf(el) === null);
    const { width, height, corners } = await pixelsOf(el.files[0]!);
    expect([width, height, el.uploads.length, corners[0]]).to.deep.equal([20, 20, 1, [0, 255, 0]]);
    await until(() => el.shadowRoot!.activeElement?.getAttribute('part') === 'edit-button');
    expect(el.shadowRoot!.activeElement?.getAttribute('part'), 'the focus returns').to.equal('edit-button');
  });

  it('applies the limits and settings of pictures', async () => {
    const el = await createElement({ 'resize-max-width': 10, 'strip-location': true, manual: true });
    const { added } = await choose(el, await createPicture('image/png', 400, 200));
    find(el, 'dialog .primary').click();
    await added;
    expect((await pixelsOf(el.files[0]!)).width).to.equal(10);
  });

  it('closes if the page clears the list or removes the element', async () => {
    for (const act of [(el: SvcUploader) => el.clear(), (el: SvcUploader) => el.remove()]) {
      const el = await createElement();
      let [cancels, controllers] = [0, 0];
      el.addEventListener('cancel', () => cancels++);
      const { addController, removeController } = el;
      el.addController = (one) => {
        controllers++;
        addController.call(el, one);
      };
      el.removeController = (one) => {
        controllers--;
        removeController.call(el, one);
      };
      const { added } = await choose(el, await createPicture('image/png', 40, 20));
      const before = controllers;
      act(el);
      await added;
      expect([dialogOf(el), el.files.length, controllers]).to.deep.equal([null, 0, before - 1]);
      if (el.isConnected) expect(cancels, 'the person did not cancel').to.equal(0);
    }
  });

  it('does not open if the page clears the list while its code loads', async () => {
    const el = await createElement();
    const added = el.addFiles([await createPicture('image/png', 40, 20)]);
    el.clear();
    await added;
    expect([dialogOf(el), el.files]).to.deep.equal([null, []]);
  });
});

import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, once, waitForPaint, removeAll, until, createUploader } from './fixture.js';

const createFiles = (count: number) => Array.from({ length: count }, (_, at) => createFile(`${at}.txt`));
const listNames = (el: SvcUploader) => el.uploads.map(({ name }) => name);
const listStates = (el: SvcUploader) => el.uploads.map(({ name, state }) => `${name} ${state.status}`);
const waitForStatus = (el: SvcUploader, status: string, at = 0) => until(() => el.uploads[at]?.state.status === status);

/** Creates an image that takes a while to scale down. */
async function createPicture(name: string, side: number): Promise<File> {
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  canvas.getContext('2d')!.fillRect(0, 0, 9, 9);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  return new File([blob!], name, { type: 'image/png', lastModified: 1 });
}

/** Creates a file that cannot be read, as if it was deleted. */
function createUnreadableFile(name: string): File {
  const gone = () => Promise.reject(new DOMException('gone', 'NotFoundError'));
  const one = new File(['bytes'], name, { type: 'image/png' });
  return Object.assign(one, { arrayBuffer: gone, slice: () => Object.assign(new Blob(), { arrayBuffer: gone }) });
}

function drop(el: SvcUploader, files: readonly File[], folder: readonly File[] = []): void {
  const event = new Event('drop', { bubbles: true, cancelable: true });
  const items = files.map((one) => ({ kind: 'file', getAsFile: () => one }) as unknown);
  const children = folder.map((one) => ({
    isFile: true,
    fullPath: `/folder/${one.name}`,
    file: (got: FileCallback) => got(one),
  }));
  let turns = [children, []];
  const readEntries = (got: (entries: unknown) => void) => got(turns.shift());
  const entry = { isDirectory: true, createReader: () => ({ readEntries }) };
  if (folder.length > 0) items.push({ kind: 'file', webkitGetAsEntry: () => entry });
  Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], files: [], items } });
  el.dispatchEvent(event);
}

const moveElsewhere = (el: Element) => document.body.appendChild(document.createElement('section')).append(el);

describe('a choice that is being processed', () => {
  afterEach(removeAll);

  it('is complete although the element is moved meanwhile', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    const added = el.addFiles(createFiles(3000));
    moveElsewhere(el);
    await added;
    expect(el.uploads.length).to.equal(3000);
  });

  it('has all its images prepared although the element is moved meanwhile', async () => {
    const el = await createUploader({ multiple: true, manual: true, 'resize-max-width': 20 });
    const pictures = await Promise.all([1, 2, 3, 4, 5, 6].map((at) => createPicture(`${at}.png`, 400 + at)));
    const decode = window.createImageBitmap;
    // The first choice is still being prepared.
    window.createImageBitmap = (...args: unknown[]) => {
      window.createImageBitmap = decode;
      moveElsewhere(el);
      return decode(...(args as [Blob]));
    };
    await el.addFiles(pictures);
    const widths = el.files.map(async (one) => (await createImageBitmap(one)).width);
    expect(await Promise.all(widths)).to.deep.equal([20, 20, 20, 20, 20, 20]);
  });

  it('loses no other file if one image cannot be read', async () => {
    const el = await createUploader({ multiple: true, manual: true, 'resize-max-width': 20 });
    await el.addFiles([await createPicture('a.png', 50), createUnreadableFile('b.png'), createFile('c.txt')]);
    expect(listStates(el)).to.deep.equal(['a.png queued', 'b.png queued', 'c.txt queued']);
  });

  it('refuses a photo that is too large for the removal of its location', async () => {
    const el = await createUploader({ multiple: true, manual: true, 'strip-location': true });
    const huge = Object.defineProperty(createFile('huge.jpg', 9, 'image/jpeg'), 'size', { value: 300 * 1024 * 1024 });
    await el.addFiles([huge]);
    expect(el.uploads[0]!.state).to.have.nested.property('rejection.code', 'BLOB_FILE_TOO_LARGE');
  });

  for (const [title, act] of [
    ['the form is reset', (el: SvcUploader) => el.form!.reset()],
    ['the list is cleared', (el: SvcUploader) => el.clear()],
    ['all is cancelled', (el: SvcUploader) => el.cancel()],
  ] as const)
    it(`is dropped when ${title}`, async () => {
      const parent = document.body.appendChild(document.createElement('form'));
      const el = await createUploader({ multiple: true, manual: true, 'resize-max-width': 20 }, { parent });
      const prepared = el.addFiles([await createPicture('a.png', 900)]);
      act(el);
      await prepared;
      expect(listNames(el)).to.deep.equal([]);
      el.resizeMaxWidth = null;
      await el.updateComplete;
      const added = el.addFiles(createFiles(3000));
      act(el);
      await added;
      expect(listNames(el)).to.deep.equal([]);
      await el.addFiles([createFile('later.txt')]);
      expect(listNames(el)).to.deep.equal(['later.txt']);
    });

  it('is replaced by a later one for a single file, and precedes it for several', async () => {
    const large = await createPicture('large.png', 2500);
    for (const [multiple, expected] of [
      [false, ['small.txt']],
      [true, ['large.png', 'small.txt']],
    ] as const) {
      const el = await createUploader({ multiple, manual: true, 'resize-max-width': 20 });
      await Promise.all([el.addFiles([large]), el.addFiles([createFile('small.txt')])]);
      expect(listNames(el)).to.deep.equal(expected);
    }
  });

  it('is kept if no file of a later one is accepted', async () => {
    const photo = await createPicture('photo.png', 2500);
    const attributes = { manual: true, 'resize-max-width': 20, 'allowed-extensions': 'png' };
    for (const later of [
      (el: SvcUploader) => el.addFiles([createFile('later.exe')]),
      // This choice takes longer than the first.
      (el: SvcUploader) => (
        drop(el, [], [createFile('later.exe'), createFile('last.exe')]),
        until(() => el.uploads.length === 3)
      ),
      (el: SvcUploader) => {
        el.addEventListener('svc-file-add', (event) => event.detail.file.name === 'b.png' && event.preventDefault());
        return el.addFiles([createFile('b.png')]);
      },
    ]) {
      const el = await createUploader(attributes);
      await Promise.all([el.addFiles([photo]), later(el)]);
      const taken = listStates(el).filter((one) => !one.endsWith('rejected'));
      expect(taken).to.deep.equal(['photo.png queued']);
      expect(el.files[0]!.size, 'made ready').to.be.below(photo.size);
      el.remove();
    }
  });

  it('aborts earlier ones once one of its files is accepted', async () => {
    const el = await createUploader({ 'resize-max-width': 20 });
    const added: string[] = [];
    el.addEventListener('svc-file-add', ({ detail }) => added.push(detail.file.name));
    await Promise.all([el.addFiles([await createPicture('large.png', 2500)]), el.addFiles([createFile('small.txt')])]);
    expect(added).to.deep.equal(['small.txt']);
  });

  it('keeps its refused files if it contains a folder', async () => {
    const el = await createUploader({ multiple: true, manual: true, 'allowed-extensions': 'pdf' });
    drop(el, [createFile('bad.exe')], [createFile('a.pdf'), createFile('b.pdf')]);
    await until(() => el.uploads.length === 3);
    expect(listStates(el)).to.deep.equal(['bad.exe rejected', 'a.pdf queued', 'b.pdf queued']);
  });

  it('keeps the single file if none of its files is accepted', async () => {
    const el = await createUploader({ 'allowed-extensions': 'pdf' });
    await el.addFiles([createFile('a.pdf')]);
    await waitForStatus(el, 'done');
    await el.addFiles([createFile('b.exe')]);
    expect(listStates(el)).to.deep.equal(['a.pdf done', 'b.exe rejected']);
    el.addEventListener('svc-file-add', (event) => event.preventDefault(), { once: true });
    await el.addFiles([createFile('c.pdf')]);
    expect(listStates(el)).to.deep.equal(['a.pdf done']);
    expect(el.value).to.equal('docs/a.pdf');
    void el.addFiles([createFile('d.pdf')]);
    expect(listNames(el)).to.deep.equal(['d.pdf']);
    expect(el.value, 'in the next line').to.equal('');
  });

  it('may contain a file that failed before, which it replaces', async () => {
    const el = await createUploader({ multiple: true }, { storage: 'refuse/FILE_EXISTS/409' });
    await el.addFiles([createFile('a.txt', 300_000), createFile('b.txt', 300_000)]);
    await waitForStatus(el, 'failed');
    await waitForStatus(el, 'failed', 1);
    el.endpoint = `${location.origin}/storage/store`;
    await el.updateComplete;
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.txt', 300_000)]);
    await complete;
    expect(listStates(el)).to.deep.equal(['b.txt failed', 'a.txt done']);
    await el.addFiles([createFile('a.txt', 300_000)]);
    expect(el.uploads.at(-1)!.state).to.have.nested.property('rejection.code', 'DUPLICATE_FILE');
  });
});

describe('a manual uploader', () => {
  afterEach(removeAll);

  for (const [title, attributes, act] of [
    ['was cancelled', {}, (el: SvcUploader) => el.cancel()],
    ['was reset', {}, (el: SvcUploader) => el.form!.reset()],
    ['was refused by its content', { sniff: true }, () => {}],
  ] as const)
    it(`waits for another start after all ${title}`, async () => {
      const parent = document.body.appendChild(document.createElement('form'));
      const el = await createUploader({ multiple: true, manual: true, ...attributes }, { storage: 'hang', parent });
      await el.addFiles([createFile('a.pdf', 300_000)]);
      el.upload();
      await until(() => el.uploads[0]!.state.status !== 'queued');
      act(el);
      await until(() => !el.matches(':state(uploading)'));
      let starts = 0;
      el.addEventListener('svc-upload-start', () => starts++);
      await el.addFiles([createFile('b.txt', 300_000)]);
      // An upload would start in the next frames.
      await waitForPaint(el);
      await waitForPaint(el);
      expect(starts).to.equal(0);
      el.upload();
      await until(() => starts === 1);
      expect(starts).to.equal(1);
    });

  it('retries one file without starting the others', async () => {
    const el = await createUploader({ multiple: true, manual: true }, { storage: 'refuse/STORAGE_FULL/507' });
    await el.addFiles([createFile('a.pdf', 300_000)]);
    el.upload();
    await waitForStatus(el, 'failed');
    await el.addFiles([createFile('b.pdf', 300_000)]);
    el.endpoint = `${location.origin}/storage/store`;
    await el.updateComplete;
    el.retry(el.uploads[0]!.id);
    await waitForStatus(el, 'done');
    expect(listStates(el)).to.deep.equal(['a.pdf done', 'b.pdf queued']);
  });

  it('starts or continues when a submit waits for it', async () => {
    for (const manual of [true, false]) {
      const parent = document.body.appendChild(document.createElement('form'));
      const el = await createUploader({ name: 'doc', multiple: true, manual, 'submit-waits': true }, { storage: 'slow', parent });
      const submit = once(parent, 'submit');
      parent.addEventListener('submit', (event) => event.preventDefault());
      await el.addFiles([createFile('a.pdf', 300_000)]);
      if (!manual) el.pause();
      parent.requestSubmit();
      await submit;
      expect(new FormData(parent).getAll('doc')).to.deep.equal(['docs/a.pdf']);
    }
  });

  it('starts for a submit that waits while images are prepared', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await createUploader({ name: 'doc', manual: true, 'submit-waits': true, 'resize-max-width': 20 }, { parent });
    const submit = once(parent, 'submit');
    parent.addEventListener('submit', (event) => event.preventDefault());
    void el.addFiles([await createPicture('a.png', 900)]);
    parent.requestSubmit();
    await submit;
    expect(el.value).to.equal('docs/a.png');
  });
});

describe('the event svc-complete', () => {
  afterEach(removeAll);

  it('is fired when every accepted file is refused by its content', async () => {
    const el = await createUploader({ multiple: true, sniff: true });
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.pdf', 400)]);
    expect((await complete).detail).to.deep.equal({ successful: [], failed: [] });
  });

  it('leaves no listener on the page that would retain the element', async () => {
    const listening = new Map<unknown, AbortSignal | undefined>();
    const targets = [window, document] as unknown as { addEventListener: unknown; removeEventListener: unknown }[];
    for (const target of targets) {
      const add = EventTarget.prototype.addEventListener;
      target.addEventListener = function (this: EventTarget, ...args: Parameters<typeof add>) {
        listening.set(args[1], (args[2] as AddEventListenerOptions | undefined)?.signal);
        return add.apply(this, args);
      };
      target.removeEventListener = function (this: EventTarget, ...args: Parameters<typeof add>) {
        listening.delete(args[1]);
        return EventTarget.prototype.removeEventListener.apply(this, args);
      };
    }
    try {
      const el = await createUploader({ multiple: true });
      const complete = once(el, 'svc-complete');
      await el.addFiles([createFile('a.pdf', 300_000)]);
      expect(listening.size, 'while there is something to send').to.be.greaterThan(0);
      await complete;
      el.remove();
      const left = () => [...listening].filter(([, signal]) => !signal?.aborted);
      await until(() => left().length === 0);
      expect(left()).to.deep.equal([]);
    } finally {
      for (const target of targets) {
        Reflect.deleteProperty(target, 'addEventListener');
        Reflect.deleteProperty(target, 'removeEventListener');
      }
    }
  });
});

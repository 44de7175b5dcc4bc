import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { file, once, painted, removeAll, until, uploader } from './fixture.js';

const many = (count: number) => Array.from({ length: count }, (_, at) => file(`${at}.txt`));
const names = (el: SvcUploader) => el.uploads.map(({ name }) => name);
const states = (el: SvcUploader) => el.uploads.map(({ name, state }) => `${name} ${state.status}`);
const is = (el: SvcUploader, status: string, at = 0) => until(() => el.uploads[at]?.state.status === status);

/** Creates an image that takes a while to scale down. */
async function picture(name: string, side: number): Promise<File> {
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  canvas.getContext('2d')!.fillRect(0, 0, 9, 9);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  return new File([blob!], name, { type: 'image/png', lastModified: 1 });
}

/** Creates a file that cannot be read, as if it was deleted. */
function unreadable(name: string): File {
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
    const el = await uploader({ multiple: true, manual: true });
    const added = el.addFiles(many(3000));
    moveElsewhere(el);
    await added;
    expect(el.uploads.length).to.equal(3000);
  });

  it('has all its images prepared although the element is moved meanwhile', async () => {
    const el = await uploader({ multiple: true, manual: true, 'resize-max-width': 20 });
    const pictures = await Promise.all([1, 2, 3, 4, 5, 6].map((at) => picture(`${at}.png`, 400 + at)));
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
    const el = await uploader({ multiple: true, manual: true, 'resize-max-width': 20 });
    await el.addFiles([await picture('a.png', 50), unreadable('b.png'), file('c.txt')]);
    expect(states(el)).to.deep.equal(['a.png queued', 'b.png queued', 'c.txt queued']);
  });

  it('refuses a photo that is too large for the removal of its location', async () => {
    const el = await uploader({ multiple: true, manual: true, 'strip-location': true });
    const huge = Object.defineProperty(file('huge.jpg', 9, 'image/jpeg'), 'size', { value: 300 * 1024 * 1024 });
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
      const el = await uploader({ multiple: true, manual: true, 'resize-max-width': 20 }, { parent });
      const prepared = el.addFiles([await picture('a.png', 900)]);
      act(el);
      await prepared;
      expect(names(el)).to.deep.equal([]);
      el.resizeMaxWidth = null;
      await el.updateComplete;
      const added = el.addFiles(many(3000));
      act(el);
      await added;
      expect(names(el)).to.deep.equal([]);
      await el.addFiles([file('later.txt')]);
      expect(names(el)).to.deep.equal(['later.txt']);
    });

  it('is replaced by a later one for a single file, and precedes it for several', async () => {
    const large = await picture('large.png', 2500);
    for (const [multiple, expected] of [
      [false, ['small.txt']],
      [true, ['large.png', 'small.txt']],
    ] as const) {
      const el = await uploader({ multiple, manual: true, 'resize-max-width': 20 });
      await Promise.all([el.addFiles([large]), el.addFiles([file('small.txt')])]);
      expect(names(el)).to.deep.equal(expected);
    }
  });

  it('is kept if no file of a later one is accepted', async () => {
    const photo = await picture('photo.png', 2500);
    const wish = { manual: true, 'resize-max-width': 20, 'allowed-extensions': 'png' };
    for (const later of [
      (el: SvcUploader) => el.addFiles([file('later.exe')]),
      // This choice takes longer than the first.
      (el: SvcUploader) => (drop(el, [], [file('later.exe'), file('last.exe')]), until(() => el.uploads.length === 3)),
      (el: SvcUploader) => {
        el.addEventListener('svc-file-add', (event) => event.detail.file.name === 'b.png' && event.preventDefault());
        return el.addFiles([file('b.png')]);
      },
    ]) {
      const el = await uploader(wish);
      await Promise.all([el.addFiles([photo]), later(el)]);
      const taken = states(el).filter((one) => !one.endsWith('rejected'));
      expect(taken).to.deep.equal(['photo.png queued']);
      expect(el.files[0]!.size, 'made ready').to.be.below(photo.size);
      el.remove();
    }
  });

  it('aborts earlier ones once one of its files is accepted', async () => {
    const el = await uploader({ 'resize-max-width': 20 });
    const added: string[] = [];
    el.addEventListener('svc-file-add', ({ detail }) => added.push(detail.file.name));
    await Promise.all([el.addFiles([await picture('large.png', 2500)]), el.addFiles([file('small.txt')])]);
    expect(added).to.deep.equal(['small.txt']);
  });

  it('keeps its refused files if it contains a folder', async () => {
    const el = await uploader({ multiple: true, manual: true, 'allowed-extensions': 'pdf' });
    drop(el, [file('bad.exe')], [file('a.pdf'), file('b.pdf')]);
    await until(() => el.uploads.length === 3);
    expect(states(el)).to.deep.equal(['bad.exe rejected', 'a.pdf queued', 'b.pdf queued']);
  });

  it('keeps the single file if none of its files is accepted', async () => {
    const el = await uploader({ 'allowed-extensions': 'pdf' });
    await el.addFiles([file('a.pdf')]);
    await is(el, 'done');
    await el.addFiles([file('b.exe')]);
    expect(states(el)).to.deep.equal(['a.pdf done', 'b.exe rejected']);
    el.addEventListener('svc-file-add', (event) => event.preventDefault(), { once: true });
    await el.addFiles([file('c.pdf')]);
    expect(states(el)).to.deep.equal(['a.pdf done']);
    expect(el.value).to.equal('docs/a.pdf');
    void el.addFiles([file('d.pdf')]);
    expect(names(el)).to.deep.equal(['d.pdf']);
    expect(el.value, 'in the next line').to.equal('');
  });

  it('may contain a file that failed before, which it replaces', async () => {
    const el = await uploader({ multiple: true }, { storage: 'refuse/FILE_EXISTS/409' });
    await el.addFiles([file('a.txt', 300_000), file('b.txt', 300_000)]);
    await is(el, 'failed');
    await is(el, 'failed', 1);
    el.endpoint = `${location.origin}/storage/store`;
    await el.updateComplete;
    const complete = once(el, 'svc-complete');
    await el.addFiles([file('a.txt', 300_000)]);
    await complete;
    expect(states(el)).to.deep.equal(['b.txt failed', 'a.txt done']);
    await el.addFiles([file('a.txt', 300_000)]);
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
      const el = await uploader({ multiple: true, manual: true, ...attributes }, { storage: 'hang', parent });
      await el.addFiles([file('a.pdf', 300_000)]);
      el.upload();
      await until(() => el.uploads[0]!.state.status !== 'queued');
      act(el);
      await until(() => !el.matches(':state(uploading)'));
      let starts = 0;
      el.addEventListener('svc-upload-start', () => starts++);
      await el.addFiles([file('b.txt', 300_000)]);
      // An upload would start in the next frames.
      await painted(el);
      await painted(el);
      expect(starts).to.equal(0);
      el.upload();
      await until(() => starts === 1);
      expect(starts).to.equal(1);
    });

  it('retries one file without starting the others', async () => {
    const el = await uploader({ multiple: true, manual: true }, { storage: 'refuse/STORAGE_FULL/507' });
    await el.addFiles([file('a.pdf', 300_000)]);
    el.upload();
    await is(el, 'failed');
    await el.addFiles([file('b.pdf', 300_000)]);
    el.endpoint = `${location.origin}/storage/store`;
    await el.updateComplete;
    el.retry(el.uploads[0]!.id);
    await is(el, 'done');
    expect(states(el)).to.deep.equal(['a.pdf done', 'b.pdf queued']);
  });

  it('starts or continues when a submit waits for it', async () => {
    for (const manual of [true, false]) {
      const parent = document.body.appendChild(document.createElement('form'));
      const el = await uploader({ name: 'doc', multiple: true, manual, 'submit-waits': true }, { storage: 'slow', parent });
      const submit = once(parent, 'submit');
      parent.addEventListener('submit', (event) => event.preventDefault());
      await el.addFiles([file('a.pdf', 300_000)]);
      if (!manual) el.pause();
      parent.requestSubmit();
      await submit;
      expect(new FormData(parent).getAll('doc')).to.deep.equal(['docs/a.pdf']);
    }
  });

  it('starts for a submit that waits while images are prepared', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await uploader({ name: 'doc', manual: true, 'submit-waits': true, 'resize-max-width': 20 }, { parent });
    const submit = once(parent, 'submit');
    parent.addEventListener('submit', (event) => event.preventDefault());
    void el.addFiles([await picture('a.png', 900)]);
    parent.requestSubmit();
    await submit;
    expect(el.value).to.equal('docs/a.png');
  });
});

describe('the event svc-complete', () => {
  afterEach(removeAll);

  it('is fired when every accepted file is refused by its content', async () => {
    const el = await uploader({ multiple: true, sniff: true });
    const complete = once(el, 'svc-complete');
    await el.addFiles([file('a.pdf', 400)]);
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
      const el = await uploader({ multiple: true });
      const complete = once(el, 'svc-complete');
      await el.addFiles([file('a.pdf', 300_000)]);
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

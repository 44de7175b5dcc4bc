// Every browser: engines implement file inputs differently.
import { expect } from 'chai';
import { createFile, find, removeAll, until, createUploader } from './fixture.js';

const inputOf = (el: Element) => find<HTMLInputElement>(el as never, 'input');

describe('behavior of a native file input', () => {
  afterEach(removeAll);

  it('includes one cancel event when the picker is closed without a choice', async () => {
    const el = await createUploader();
    const events: { target: EventTarget | null; cancelable: boolean }[] = [];
    document.body.addEventListener('cancel', ({ target, cancelable }) => events.push({ target, cancelable }));
    // Fires the event as browsers do, because a script cannot cause it.
    inputOf(el).dispatchEvent(new Event('cancel', { bubbles: true }));
    expect(events).to.deep.equal([{ target: el, cancelable: false }]);
  });

  it('includes showPicker, which needs a user gesture and an element that accepts files', async () => {
    const el = await createUploader();
    let refused: unknown;
    try {
      el.showPicker();
    } catch (error) {
      refused = error;
    }
    expect(refused).to.be.instanceOf(DOMException).with.property('name', 'NotAllowedError');
    let shown = 0;
    inputOf(el).showPicker = () => void (shown += 1);
    el.showPicker();
    expect(shown).to.equal(1);
    el.disabled = true;
    el.showPicker();
    el.disabled = false;
    el.readOnly = true;
    el.showPicker();
    expect(shown).to.equal(1);
  });

  it('includes capture and accept', async () => {
    const el = await createUploader({ capture: 'environment', accept: 'image/*' });
    expect(inputOf(el).getAttribute('capture')).to.equal('environment');
    expect(inputOf(el).accept).to.equal('image/*');
    el.capture = 'user';
    await el.updateComplete;
    expect(inputOf(el).getAttribute('capture')).to.equal('user');
    el.removeAttribute('capture');
    await el.updateComplete;
    expect(inputOf(el).hasAttribute('capture')).to.equal(false);
    expect(el.capture).to.equal('');
  });

  it('includes webkitdirectory, with the paths of the files', async () => {
    const el = await createUploader({ webkitdirectory: true, manual: true });
    expect(inputOf(el).webkitdirectory).to.equal(true);
    const picked = ['photos/a.jpg', 'photos/best/a.jpg'].map((path) =>
      Object.defineProperty(createFile('a.jpg'), 'webkitRelativePath', { value: path }),
    );
    // A folder can contain several files without `multiple`.
    Object.defineProperty(inputOf(el), 'files', { value: picked, configurable: true });
    inputOf(el).dispatchEvent(new Event('change', { bubbles: true }));
    await until(() => el.uploads.length === 2);
    expect(el.uploads.map(({ relativePath }) => relativePath)).to.deep.equal(['photos/a.jpg', 'photos/best/a.jpg']);
    el.webkitdirectory = false;
    await el.updateComplete;
    expect(inputOf(el).webkitdirectory).to.equal(false);
  });
});

describe('a failed attempt', () => {
  afterEach(removeAll);

  it('fires svc-upload-retry with the error and the number of the next attempt', async () => {
    const el = await createUploader({}, { storage: 'refuse/SERVICE_UNAVAILABLE/503' });
    const started: string[] = [];
    el.addEventListener('svc-upload-start', ({ detail }) => started.push(detail.id));
    const retry = new Promise<HTMLElementEventMap['svc-upload-retry']>((resolve) =>
      document.body.addEventListener('svc-upload-retry', resolve, { once: true }),
    );
    const chosen = createFile('a.pdf', 300_000);
    await el.addFiles([chosen]);
    const { target, detail } = await retry;
    expect(target).to.equal(el);
    expect(detail).to.include({ id: started[0]!, file: chosen, attempt: 2 });
    expect(detail.error).to.include({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  });
});

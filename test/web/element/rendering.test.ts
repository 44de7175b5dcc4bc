import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { BlobError } from '../../../src/protocol/errors.js';
import type { FileRecord } from '../../../src/protocol/types.js';
import { createFile, find, once, waitForPaint, removeAll, readTexts, until, createUploader } from './fixture.js';

/** Presses a button of the summary by its text. */
async function press(el: SvcUploader, text: string): Promise<void> {
  const buttons = [...el.shadowRoot!.querySelectorAll<HTMLButtonElement>('[part=summary-button]')];
  buttons.find((button) => button.textContent === text)!.click();
  await waitForPaint(el);
}

describe('the rendered element', () => {
  afterEach(removeAll);

  it('exposes frame, icon, buttons and total progress as parts', async () => {
    const sheet = document.head.appendChild(document.createElement('style'));
    const parts = ['files', 'icon', 'summary-button', 'progress'];
    sheet.textContent = parts.map((part) => `svc-uploader::part(${part}) { outline: 3px solid red }`).join(' ');
    const el = await createUploader({ multiple: true }, { storage: 'hang' });
    await el.addFiles([createFile('a.bin', 300_000), createFile('b.bin', 300_000)]);
    await waitForPaint(el);
    const reached = ['.files', '.zone > svg', '.plain', '.all'].map((one) => getComputedStyle(find(el, one)).outlineWidth);
    sheet.remove();
    expect(reached).to.deep.equal(Array(4).fill('3px'));
  });

  it('highlights the button of the button appearance under dragged files, and keeps it narrow', async () => {
    const row = document.body.appendChild(document.createElement('div'));
    row.style.display = 'flex';
    const el = await createUploader({ appearance: 'button' }, { parent: row });
    expect(el.getBoundingClientRect().width).to.be.at.most(240);
    const ground = () => getComputedStyle(find(el, '.pick')).borderTopColor;
    const before = ground();
    const event = new DragEvent('dragenter', { bubbles: true, cancelable: true, composed: true });
    Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'] } });
    find(el, '.pick').dispatchEvent(event);
    await until(() => ground() !== before);
    expect(ground()).to.not.equal(before);
  });

  it('takes the focus with autofocus, unless another element has it', async () => {
    const first = await createUploader({ autofocus: true });
    expect(document.activeElement).to.equal(first);
    expect(first.shadowRoot!.activeElement).to.equal(find(first, '.pick'));
    await createUploader({ autofocus: true });
    expect(document.activeElement).to.equal(first);
  });

  it('shows no invitation to drop while it accepts no files', async () => {
    const el = await createUploader({ disabled: true, multiple: true });
    const readInvitation = () => find(el, '.drop-words').textContent;
    expect(readInvitation()).to.equal('No file chosen');
    el.disabled = false;
    await el.addFiles([createFile('a.bin')]);
    await waitForPaint(el);
    expect(readInvitation()).to.equal('Drop files here, or');
    el.disabled = true;
    await waitForPaint(el);
    expect(readInvitation()).to.equal('');
  });

  it('gives Upload more weight than Cancel', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles([createFile('a.bin')]);
    await waitForPaint(el);
    const [upload, cancel] = [...el.shadowRoot!.querySelectorAll<HTMLElement>('[part=summary-button]')];
    expect([upload!.textContent, cancel!.textContent]).to.deep.equal(['Upload', 'Cancel']);
    const background = (one: HTMLElement) => getComputedStyle(one).backgroundColor;
    expect(background(cancel!)).to.equal('rgba(0, 0, 0, 0)');
    expect(background(upload!)).to.not.equal(background(cancel!));
  });

  it('states an outage and the next attempt once, in the summary, while the rows stay calm', async () => {
    const el = await createUploader({ multiple: true });
    const outage = new BlobError('SERVICE_UNAVAILABLE', 'down', { details: { retry_after: 30 } });
    el.transport = { send: () => Promise.reject(outage) };
    await el.addFiles([createFile('a.bin', 300_000), createFile('b.bin', 300_000)]);
    await until(() => el.uploads.every(({ state }) => state.status === 'waiting'));
    await waitForPaint(el);
    const readLine = (line: string) => find(el, `.summary-${line}`).textContent!.trim();
    expect(readLine('title')).to.equal('The server can’t be reached.');
    expect(readLine('details')).to.match(/^Trying again in \d+ seconds · 0 of 2$/);
    expect(readTexts(el, 'status')).to.deep.equal(['Waiting', 'Waiting']);
    expect(readTexts(el, 'summary-button')).to.deep.equal(['Try again', 'Cancel']);
  });

  it('keeps the outage in view while an attempt runs, and hides it after a success', async () => {
    const el = await createUploader({ multiple: true });
    const attempts = new Map<string, number>();
    const succeed = new Map<string, () => void>();
    el.transport = {
      send: ({ id, name, size }) => {
        const attempt = (attempts.get(name) ?? 0) + 1;
        attempts.set(name, attempt);
        if (attempt === 1) return Promise.reject(new BlobError('SERVICE_UNAVAILABLE', 'down', { details: { retry_after: 30 } }));
        return new Promise((resolve) => succeed.set(name, () => resolve({ id, path: `docs/${name}`, name, size } as FileRecord)));
      },
    };
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.bin', 300_000), createFile('b.bin', 300_000)]);
    await until(() => el.uploads.every(({ state }) => state.status === 'waiting'));
    el.retry();
    await until(() => succeed.size === 2);
    await waitForPaint(el);
    const readLine = (line: string) => find(el, `.summary-${line}`).textContent!.trim();
    expect(el.uploads.map(({ state }) => state.status)).to.deep.equal(['uploading', 'uploading']);
    expect(readLine('title')).to.equal('The server can’t be reached.');
    expect(readLine('details')).to.equal('Trying again now · 0 of 2');
    expect(readTexts(el, 'status')).to.deep.equal(['Waiting', 'Waiting']);
    succeed.get('a.bin')!();
    succeed.get('b.bin')!();
    await complete;
    await waitForPaint(el);
    expect(readLine('title')).to.equal('2 files uploaded');
  });

  it('keeps the outage of a single file in its row while an attempt runs', async () => {
    const el = await createUploader();
    let attempts = 0;
    el.transport = {
      send: () => {
        attempts++;
        const error = new BlobError('SERVICE_UNAVAILABLE', 'down', { details: { retry_after: 30 } });
        return attempts === 1 ? Promise.reject(error) : new Promise(() => {});
      },
    };
    await el.addFiles([createFile('a.bin', 300_000)]);
    await until(() => el.uploads[0]?.state.status === 'waiting');
    el.retry();
    await until(() => attempts === 2);
    await waitForPaint(el);
    expect(readTexts(el, 'status')).to.deep.equal(['The server can’t be reached. Trying again now']);
  });

  it('states an error that several files share once, and removes only what was not uploaded', async () => {
    const el = await createUploader({ multiple: true });
    el.transport = {
      send: async ({ id, name, size }) => {
        if (name !== 'good.bin') throw new BlobError('FILE_EXISTS', 'exists', { status: 409 });
        return { id, path: `docs/${name}`, name, size } as FileRecord;
      },
    };
    const complete = once(el, 'svc-complete');
    await el.addFiles(['a.bin', 'b.bin', 'good.bin'].map((name) => createFile(name, 300_000)));
    await complete;
    await waitForPaint(el);
    const why = 'A file with this name already exists. Rename your file and choose it again.';
    expect(find(el, '.summary-title').textContent).to.include('1 file uploaded · 2 not uploaded');
    expect(find(el, '.summary-details').textContent).to.equal(why);
    expect(readTexts(el, 'error')).to.deep.equal(['Not uploaded', 'Not uploaded']);
    await el.addFiles([createFile('empty.bin', 0)]);
    await waitForPaint(el);
    expect(readTexts(el, 'error'), 'several errors').to.deep.equal([why, why, 'This file is empty. Choose another file.']);
    expect(readTexts(el, 'summary-button'), 'the row of the refused file has Dismiss').to.deep.equal(['Remove']);
    await press(el, 'Remove');
    expect(el.uploads.map(({ name }) => name)).to.deep.equal(['good.bin', 'empty.bin']);
    expect(el.validity.valid).to.equal(true);
    expect(readTexts(el, 'summary-button')).to.deep.equal([]);
    find(el, '[part=dismiss-button]').click();
    await waitForPaint(el);
    expect(el.uploads.map(({ name }) => name)).to.deep.equal(['good.bin']);
  });

  it('offers Dismiss for refused files only, and leaves all other files', async () => {
    const el = await createUploader({ multiple: true, manual: true, 'allowed-extensions': 'bin' });
    await el.addFiles(['a.bin', 'b.exe', 'c.exe'].map((name) => createFile(name)));
    await waitForPaint(el);
    const readLabels = () =>
      [...el.shadowRoot!.querySelectorAll('.list button')].map((button) => button.getAttribute('aria-label'));
    expect(readTexts(el, 'dismiss-button')).to.deep.equal(['Dismiss', 'Dismiss']);
    expect(readLabels()).to.deep.equal(['Cancel a.bin', 'Dismiss: b.exe', 'Dismiss: c.exe']);
    expect(readTexts(el, 'summary-button')).to.deep.equal(['Dismiss', 'Upload', 'Cancel']);
    await press(el, 'Dismiss');
    expect(readLabels()).to.deep.equal(['Cancel a.bin']);
    await el.addFiles([createFile('d.exe')]);
    await waitForPaint(el);
    find(el, '[part=dismiss-button]').click();
    await waitForPaint(el);
    expect(readLabels()).to.deep.equal(['Cancel a.bin']);
    expect(el.uploads[0]!.state.status).to.equal('queued');
  });

  it('shows three long buttons in one line of a phone', async () => {
    const parent = document.body.appendChild(document.createElement('div'));
    parent.style.cssText = 'width: 342px; font: 16px system-ui, sans-serif';
    const attributes = { multiple: true, locale: 'de', 'allowed-extensions': 'bin' };
    const el = await createUploader(attributes, { parent, storage: 'hang' });
    await el.addFiles(['a.bin', 'b.exe', 'c.exe'].map((name) => createFile(name, 300_000)));
    await until(() => readTexts(el, 'summary-button').includes('Ausblenden'));
    const buttons = ['Ausblenden', 'Erneut versuchen', 'Entfernen'].map((text, index) => {
      const button = el.shadowRoot!.querySelectorAll<HTMLElement>('[part=summary-button]')[index]!;
      button.textContent = text;
      return button;
    });
    expect(new Set(buttons.map(({ offsetTop }) => offsetTop))).to.have.lengthOf(1);
  });

  it('states the cause in each refused row while the summary describes the upload', async () => {
    const el = await createUploader({ multiple: true, 'allowed-extensions': 'bin' }, { storage: 'hang' });
    await el.addFiles(['a.bin', 'b.exe', 'c.exe'].map((name) => createFile(name)));
    await waitForPaint(el);
    const why = 'This type of file is not accepted. Choose BIN.';
    expect(readTexts(el, 'error')).to.deep.equal([why, why]);
  });
});

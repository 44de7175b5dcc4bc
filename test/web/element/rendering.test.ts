import { expect } from 'chai';
import { createFile, find, waitForPaint, removeAll, readTexts, until, createUploader } from './fixture.js';

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

  it('shows why a file waits, as tooltip and for screen readers', async () => {
    const el = await createUploader({ multiple: true }, { storage: 'away' });
    await el.addFiles([createFile('a.bin', 300_000), createFile('b.bin', 300_000)]);
    await until(() => el.uploads.every(({ state }) => state.status === 'waiting'));
    await waitForPaint(el);
    const why = 'This file was not uploaded. Try again.';
    expect(readTexts(el, 'status')[0]).to.match(/^Trying again in \d seconds$/);
    expect(find(el, '.row .status').title).to.equal(why);
    expect(find(el, '.row .status .hidden').textContent).to.equal(why);
  });
});

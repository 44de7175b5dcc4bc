import { expect } from 'chai';
import { file, inside, painted, removeAll, texts, until, uploader } from './fixture.js';

describe('the rendered element', () => {
  afterEach(removeAll);

  it('exposes frame, icon, buttons and total progress as parts', async () => {
    const sheet = document.head.appendChild(document.createElement('style'));
    const parts = ['files', 'icon', 'summary-button', 'progress'];
    sheet.textContent = parts.map((part) => `svc-uploader::part(${part}) { outline: 3px solid red }`).join(' ');
    const el = await uploader({ multiple: true }, { storage: 'hang' });
    await el.addFiles([file('a.bin', 300_000), file('b.bin', 300_000)]);
    await painted(el);
    const reached = ['.files', '.zone > svg', '.plain', '.all'].map((one) => getComputedStyle(inside(el, one)).outlineWidth);
    sheet.remove();
    expect(reached).to.deep.equal(Array(4).fill('3px'));
  });

  it('highlights the button of the button appearance under dragged files, and keeps it narrow', async () => {
    const row = document.body.appendChild(document.createElement('div'));
    row.style.display = 'flex';
    const el = await uploader({ appearance: 'button' }, { parent: row });
    expect(el.getBoundingClientRect().width).to.be.at.most(240);
    const ground = () => getComputedStyle(inside(el, '.pick')).borderTopColor;
    const before = ground();
    const event = new DragEvent('dragenter', { bubbles: true, cancelable: true, composed: true });
    Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'] } });
    inside(el, '.pick').dispatchEvent(event);
    await until(() => ground() !== before);
    expect(ground()).to.not.equal(before);
  });

  it('takes the focus with autofocus, unless another element has it', async () => {
    const first = await uploader({ autofocus: true });
    expect(document.activeElement).to.equal(first);
    expect(first.shadowRoot!.activeElement).to.equal(inside(first, '.pick'));
    await uploader({ autofocus: true });
    expect(document.activeElement).to.equal(first);
  });

  it('shows no invitation to drop while it accepts no files', async () => {
    const el = await uploader({ disabled: true, multiple: true });
    const words = () => inside(el, '.drop-words').textContent;
    expect(words()).to.equal('No file chosen');
    el.disabled = false;
    await el.addFiles([file('a.bin')]);
    await painted(el);
    expect(words()).to.equal('Drop files here, or');
    el.disabled = true;
    await painted(el);
    expect(words()).to.equal('');
  });

  it('shows why a file waits, as tooltip and for screen readers', async () => {
    const el = await uploader({ multiple: true }, { storage: 'away' });
    await el.addFiles([file('a.bin', 300_000), file('b.bin', 300_000)]);
    await until(() => el.uploads.every(({ state }) => state.status === 'waiting'));
    await painted(el);
    const why = 'This file was not uploaded. Try again.';
    expect(texts(el, 'status')[0]).to.match(/^Trying again in \d seconds$/);
    expect(inside(el, '.row .status').title).to.equal(why);
    expect(inside(el, '.row .status .hidden').textContent).to.equal(why);
  });
});

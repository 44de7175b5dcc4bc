import { expect } from 'chai';
import { file, inside, painted, removeAll, texts, until, uploader } from './fixture.js';

describe('what is drawn', () => {
  afterEach(removeAll);

  it('is within reach of a design system: frame, drawing, buttons and progress of all', async () => {
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

  it('is the button itself while files are over it, where it is all there is, and no wider than it has to be', async () => {
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

  it('has the focus where the page asks for it, unless something else has', async () => {
    const first = await uploader({ autofocus: true });
    expect(document.activeElement).to.equal(first);
    expect(first.shadowRoot!.activeElement).to.equal(inside(first, '.pick'));
    await uploader({ autofocus: true });
    expect(document.activeElement).to.equal(first);
  });

  it('invites nobody to drop what is not taken', async () => {
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

  it('is why a file waits as well, for who points at it or hears it', async () => {
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

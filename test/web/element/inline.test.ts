import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, find, once, waitForPaint, removeAll, findRows, readTexts, until, createUploader } from './fixture.js';

describe('the inline appearance', () => {
  afterEach(removeAll);

  it('shows the accepted file beside the button, and refused ones below', async () => {
    const el = await createUploader({ appearance: 'inline', 'allowed-extensions': 'pdf' });
    const shown = () =>
      findRows(el).map((row) => `${row.closest('.line') ? 'line' : 'list'} ${row.querySelector('.name')!.textContent!.trim()}`);
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('b.pdf'), createFile('a.exe'), createFile('c.exe')]);
    await complete;
    await waitForPaint(el);
    expect(shown()).to.deep.equal(['line b.pdf', 'list a.exe', 'list c.exe']);
    expect(find(el, '[part=summary]')).to.equal(null);
    const [first] = el.shadowRoot!.querySelectorAll<HTMLButtonElement>('.list [part=dismiss-button]');
    first!.focus();
    first!.click();
    await waitForPaint(el);
    expect(shown()).to.deep.equal(['line b.pdf', 'list c.exe']);
    expect(el.shadowRoot!.activeElement?.getAttribute('aria-label'), 'the focus').to.equal('Dismiss: c.exe');
    // A stored file keeps its place if the next choice is refused.
    await el.addFiles([createFile('d.exe')]);
    await waitForPaint(el);
    expect(shown()).to.deep.equal(['line b.pdf', 'list d.exe']);
    find<HTMLButtonElement>(el, '.line [part=remove-button]').click();
    await waitForPaint(el);
    expect(shown()).to.deep.equal(['line d.exe']);
    expect(el.shadowRoot!.activeElement, 'the focus').to.equal(find(el, '.pick'));
  });
});

describe('the inline appearance with multiple', () => {
  afterEach(removeAll);

  it('says beside the button only that no file is chosen', async () => {
    const el = await createUploader({ appearance: 'inline', multiple: true, manual: true, 'allowed-extensions': 'pdf' });
    const readText = () => find(el, '.beside').textContent;
    await el.addFiles([createFile('a.exe')]);
    await waitForPaint(el);
    expect(readText()).to.equal('No file chosen');
    await el.addFiles([createFile('b.pdf'), createFile('a.exe')]);
    await waitForPaint(el);
    expect(readText(), 'the list shows the file').to.equal('');
  });
});

describe('the single file beside the button', () => {
  afterEach(removeAll);

  const press = async (el: SvcUploader, text: string) => {
    const button = [...el.shadowRoot!.querySelectorAll<HTMLButtonElement>('.line .plain')].find(
      (one) => one.textContent === text,
    );
    button!.click();
    await waitForPaint(el);
  };
  const offered = (el: SvcUploader) =>
    Array.from(el.shadowRoot!.querySelectorAll('.line .plain'), (one) => one.textContent!.trim());

  it('can be started in a manual element, paused and resumed', async () => {
    const el = await createUploader({ appearance: 'inline', manual: true }, { storage: 'hang' });
    await el.addFiles([createFile('a.pdf', 400_000)]);
    await waitForPaint(el);
    expect(offered(el)).to.deep.equal(['Upload']);
    await press(el, 'Upload');
    expect(offered(el)).to.deep.equal(['Pause']);
    await press(el, 'Pause');
    expect(el.uploads[0]!.state.status).to.equal('paused');
    expect(offered(el)).to.deep.equal(['Resume']);
    await press(el, 'Resume');
    expect(el.uploads[0]!.state.status).to.equal('uploading');
  });

  it('can be paused if it is large, and has no button if it is small or stored', async () => {
    const el = await createUploader({ appearance: 'inline' }, { storage: 'hang' });
    await el.addFiles([createFile('a.pdf', 400_000)]);
    await waitForPaint(el);
    expect(offered(el)).to.deep.equal([]);
    await el.addFiles([createFile('long.mp4', 21_000_000)]);
    await waitForPaint(el);
    expect(offered(el)).to.deep.equal(['Pause']);
    el.readOnly = true;
    await el.updateComplete;
    expect(offered(el)).to.deep.equal([]);
  });

  it('counts down to its next attempt', async () => {
    const el = await createUploader({ appearance: 'inline' }, { storage: 'away' });
    await el.addFiles([createFile('a.pdf', 400_000)]);
    const readStatus = () => readTexts(el, 'status')[0] ?? '';
    await until(() => readStatus().includes('Trying again'));
    const first = readStatus();
    await until(() => readStatus() !== first);
    expect(readStatus())
      .to.match(/^Trying again in \d seconds$/)
      .and.not.equal(first);
  });

  it('shows its whole text below the button if there is no room beside it', async () => {
    const parent = document.body.appendChild(document.createElement('div'));
    parent.style.width = '264px';
    const el = await createUploader({ appearance: 'inline', manual: true }, { parent });
    await el.addFiles([createFile('contract with a long name.pdf', 400_000)]);
    await waitForPaint(el);
    const box = (selector: string) => find(el, selector).getBoundingClientRect();
    expect(box('.chosen').top).to.be.at.least(box('.pick').bottom);
    expect(box('[part=remove-button]').right).to.be.at.most(box('.line').right);
    expect(box('.name').width).to.be.greaterThan(80);
    expect(find(el, '.line .state').scrollWidth).to.equal(find(el, '.line .state').clientWidth);
  });
});

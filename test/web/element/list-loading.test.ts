import { expect } from 'chai';
import { createFile, once, waitForPaint, removeAll, findRows, readTexts, until, createUploader } from './fixture.js';

const MODULE = '/src/element/view/file-area.ts';

// The code stays loaded once a test has loaded it. Hence the test in which it does not load comes first.
describe('the list of files', () => {
  afterEach(removeAll);

  it('is replaced by a message if its code does not load, and appears with the next choice', async () => {
    await fetch(`/missing?path=${MODULE}`);
    const el = await createUploader({ multiple: true, name: 'doc' });
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.txt')]);
    await complete;
    await waitForPaint(el);
    expect(readTexts(el, 'note')).to.deep.equal(['Part of the page did not load. Try again or reload the page.']);
    expect(findRows(el)).to.deep.equal([]);
    expect(el.values, 'the upload itself').to.deep.equal(['docs/a.txt']);
    await fetch(`/missing?path=${MODULE}&back`);
    await el.addFiles([createFile('b.txt')]);
    await waitForPaint(el);
    expect(readTexts(el, 'name')).to.deep.equal(['a.txt', 'b.txt']);
    expect(readTexts(el, 'note')).to.deep.equal([]);
  });

  it('moves a lost focus to itself when it appears', async () => {
    const el = await createUploader({ multiple: true, manual: true, 'max-files': 1 });
    el.shadowRoot!.querySelector<HTMLElement>('.pick')!.focus();
    await el.addFiles([createFile('a.txt')]);
    await waitForPaint(el);
    expect(el.shadowRoot!.activeElement?.getAttribute('part')).to.equal('list');
  });

  it('has its styles in the first frame that shows it', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles([createFile('a.txt'), createFile('b.txt')]);
    await until(() => findRows(el).length > 0);
    expect(findRows(el).map((row) => getComputedStyle(row).display)).to.deep.equal(['grid', 'grid']);
    expect(el.shadowRoot!.adoptedStyleSheets).to.have.length(7);
  });

  it('shares its style sheets with other elements of the document', async () => {
    const elements = await Promise.all([createUploader({ manual: true }), createUploader({ manual: true })]);
    for (const el of elements) {
      await el.addFiles([createFile('a.txt')]);
      await waitForPaint(el);
    }
    const [first, second] = elements.map((el) => [...el.shadowRoot!.adoptedStyleSheets]);
    expect(first).to.deep.equal(second);
  });
});

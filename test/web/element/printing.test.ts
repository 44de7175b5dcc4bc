// Every browser: engines apply print styles differently.
import { expect } from 'chai';
import { createFile, find, waitForPaint, removeAll, findRows, readTexts, until, createUploader } from './fixture.js';

const COUNT = 300;
const names = Array.from({ length: COUNT }, (_, index) => `${index}.txt`);
/** Fires the events as a browser does. A page that prints by script runs no other task between them. */
const beginPrinting = () => dispatchEvent(new Event('beforeprint'));
const endPrinting = () => dispatchEvent(new Event('afterprint'));

describe('a page that is printed', () => {
  afterEach(removeAll);

  it('has all rows of a long list when printing starts, and a short document afterwards', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles(names.map((name) => createFile(name)));
    await waitForPaint(el);
    const list = find(el, '[part="list"]');
    list.scrollTop = 2000;
    // Six rows before the first row in view.
    await until(() => readTexts(el, 'name')[0] === '29.txt');
    const before = readTexts(el, 'name');
    expect(before.length).to.be.lessThan(30);
    beginPrinting();
    expect(readTexts(el, 'name')).to.deep.equal(names);
    await waitForPaint(el);
    expect(findRows(el)).to.have.length(COUNT);
    endPrinting();
    expect(readTexts(el, 'name')).to.deep.equal(before);
  });

  it('includes files that are added while it is printed', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles(names.map((name) => createFile(name)));
    await waitForPaint(el);
    beginPrinting();
    await el.addFiles([createFile('late.txt')]);
    await waitForPaint(el);
    expect(readTexts(el, 'name').at(-1)).to.equal('late.txt');
    expect(findRows(el)).to.have.length(COUNT + 1);
    endPrinting();
  });

  it('ignores an element outside the page, and one without files', async () => {
    const empty = await createUploader();
    const gone = await createUploader({ multiple: true, manual: true });
    await gone.addFiles(names.map((name) => createFile(name)));
    await waitForPaint(gone);
    gone.remove();
    beginPrinting();
    expect(findRows(gone).length).to.be.lessThan(30);
    expect(findRows(empty)).to.have.length(0);
    endPrinting();
  });
});

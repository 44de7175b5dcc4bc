// Every browser: engines apply print styles differently.
import { expect } from 'chai';
import { file, inside, painted, removeAll, rows, texts, uploader } from './fixture.js';

const COUNT = 300;
const names = Array.from({ length: COUNT }, (_, index) => `${index}.txt`);
/** Fires the events as a browser does. A page that prints by script runs no other task between them. */
const begin = () => dispatchEvent(new Event('beforeprint'));
const end = () => dispatchEvent(new Event('afterprint'));

describe('a page that is printed', () => {
  afterEach(removeAll);

  it('has all rows of a long list when printing starts, and a short document afterwards', async () => {
    const el = await uploader({ multiple: true, manual: true });
    await el.addFiles(names.map((name) => file(name)));
    await painted(el);
    const list = inside(el, '[part="list"]');
    list.scrollTop = 2000;
    await painted(el);
    await painted(el);
    const before = texts(el, 'name');
    expect(before.length).to.be.lessThan(30);
    begin();
    expect(texts(el, 'name')).to.deep.equal(names);
    await painted(el);
    expect(rows(el)).to.have.length(COUNT);
    end();
    expect(texts(el, 'name')).to.deep.equal(before);
  });

  it('includes files that are added while it is printed', async () => {
    const el = await uploader({ multiple: true, manual: true });
    await el.addFiles(names.map((name) => file(name)));
    await painted(el);
    begin();
    await el.addFiles([file('late.txt')]);
    await painted(el);
    expect(texts(el, 'name').at(-1)).to.equal('late.txt');
    expect(rows(el)).to.have.length(COUNT + 1);
    end();
  });

  it('ignores an element outside the page, and one without files', async () => {
    const empty = await uploader();
    const gone = await uploader({ multiple: true, manual: true });
    await gone.addFiles(names.map((name) => file(name)));
    await painted(gone);
    gone.remove();
    begin();
    expect(rows(gone).length).to.be.lessThan(30);
    expect(rows(empty)).to.have.length(0);
    end();
  });
});

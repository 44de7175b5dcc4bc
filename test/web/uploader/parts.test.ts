import { expect } from 'chai';
import { file, inside, once, painted, removeAll, rows, texts, until, uploader } from './fixture.js';

const sentAnything = () => performance.getEntriesByType('resource').some(({ name }) => name.includes('/storage/'));

/** In a page of its own: browsers remember that a module did not load. */
describe('a choice that cannot be made ready, as the code for it does not load', () => {
  const part = '/missing?path=/src/uploader/picking/gather.ts';
  before(() => fetch(part));
  after(() => fetch(`${part}&back`));
  afterEach(removeAll);

  it('is listed as failed, makes the form wait for a decision, and is never sent as it is', async () => {
    const el = await uploader({ 'strip-location': true, multiple: true });
    const ended = once(el, 'svc-complete');
    await el.addFiles([file('a.jpg'), file('b.jpg')]);
    expect((await ended).detail.failed.map(({ name }) => name)).to.deep.equal(['a.jpg', 'b.jpg']);
    await painted(el);
    expect(texts(el, 'error')).to.deep.equal(Array(2).fill('The connection was lost. Try again.'));
    expect(rows(el).every((row) => row.querySelector('[part="retry-button"]'))).to.equal(true);
    expect(el.validity.badInput).to.equal(true);
    const once_more = once(el, 'svc-complete');
    el.retry();
    await once_more;
    expect(el.uploads.map(({ name, state }) => `${name} ${state.status}`)).to.deep.equal(['a.jpg failed', 'b.jpg failed']);
    expect(sentAnything()).to.equal(false);
    el.stripLocation = false;
    await el.updateComplete;
    const third = once(el, 'svc-complete');
    el.retry(el.uploads[0]!.id);
    expect((await third).detail.successful.map(({ name }) => name)).to.deep.equal(['a.jpg']);
  });

  it('leaves the single file that is stored, and is tried again beside it', async () => {
    const el = await uploader();
    const done = once(el, 'svc-complete');
    await el.addFiles([file('good.pdf')]);
    await done;
    el.stripLocation = true;
    await el.updateComplete;
    const states = () => el.uploads.map(({ name, state }) => `${name} ${state.status}`);
    for (const name of ['a.jpg', 'b.jpg']) {
      await el.addFiles([file(name)]);
      expect(states()).to.deep.equal(['good.pdf done', `${name} failed`]);
      expect(el.value).to.equal('docs/good.pdf');
    }
    expect([el.validity.rangeOverflow, el.validity.badInput]).to.deep.equal([false, true]);
    el.stripLocation = false;
    await el.updateComplete;
    const replaced = once(el, 'svc-complete');
    el.retry();
    await replaced;
    expect(states()).to.deep.equal(['b.jpg done']);
  });

  it('is a row with the name of the folder that was dropped', async () => {
    const el = await uploader({ multiple: true, manual: true });
    const entry = { isDirectory: true, name: 'holidays' };
    const items = [
      { kind: 'file', webkitGetAsEntry: () => entry },
      { kind: 'file', getAsFile: () => file('beside.txt') },
    ];
    const event = new Event('drop', { bubbles: true, cancelable: true });
    Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], files: [], items } });
    el.dispatchEvent(event);
    await until(() => el.uploads.length === 2);
    expect(el.uploads.map(({ name, state }) => `${name} ${state.status}`)).to.have.members([
      'holidays failed',
      'beside.txt failed',
    ]);
    await painted(el);
    expect(inside(el, '[part="list"]').textContent).to.include('holidays');
  });
});

import { expect } from 'chai';
import { createFile, find, once, waitForPaint, removeAll, findRows, readTexts, until, createUploader } from './fixture.js';

const createFiles = (count: number) => Array.from({ length: count }, (_, index) => createFile(`${index}.txt`, 10));

describe('a long list', () => {
  afterEach(removeAll);

  it('keeps the document small at any scroll position', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles(createFiles(10_000));
    await waitForPaint(el);
    expect(el.uploads.length).to.equal(10_000);
    expect(findRows(el).length).to.be.lessThan(30);
    const list = find(el, '[part="list"]');
    expect(list.scrollHeight).to.be.greaterThan(500_000);
    list.scrollTop = list.scrollHeight;
    await until(() => readTexts(el, 'name').at(-1) === '9999.txt');
    expect(readTexts(el, 'name').at(-1)).to.equal('9999.txt');
    expect(findRows(el).length).to.be.lessThan(30);
    expect(findRows(el).at(-1)!.getAttribute('aria-posinset')).to.equal('10000');
  });

  it('adds a large choice in slices, so that the page stays responsive', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const adding = el.addFiles(createFiles(10_000));
    // The number of files per slice depends on the speed of the machine.
    expect(el.uploads.length, 'the first at once').to.be.within(1, 9_999);
    await adding;
    clearInterval(timer);
    expect(el.uploads.length).to.equal(10_000);
    expect(turns, 'of other tasks meanwhile').to.be.greaterThan(0);
  });

  it('is one Tab stop, and arrow keys move within it', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles(createFiles(300));
    await waitForPaint(el);
    const stops = () => [...el.shadowRoot!.querySelectorAll<HTMLElement>('.row button')].filter(({ tabIndex }) => tabIndex === 0);
    expect(stops().length).to.equal(1);
    stops()[0]!.focus();
    const press = async (key: string) => {
      el.shadowRoot!.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      await waitForPaint(el);
      await waitForPaint(el);
      return el.shadowRoot!.activeElement?.getAttribute('aria-label');
    };
    expect(await press('ArrowDown')).to.equal('Cancel 1.txt');
    expect(await press('PageDown'), 'a list of six rows and a half').to.equal('Cancel 6.txt');
    expect(await press('PageDown')).to.equal('Cancel 11.txt');
    expect(await press('PageUp')).to.equal('Cancel 6.txt');
    expect(await press('End')).to.equal('Cancel 299.txt');
    expect(await press('PageDown'), 'there is no more').to.equal('Cancel 299.txt');
    expect(stops().length).to.equal(1);
    expect(await press('Home')).to.equal('Cancel 0.txt');
    expect(await press('Delete'), 'the next one').to.equal('Cancel 1.txt');
    expect(el.uploads.length).to.equal(299);
  });

  it('keeps the focus when its row is scrolled away', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles(createFiles(300));
    await waitForPaint(el);
    // WebKit scrolls the focused element into view later than this code.
    find(el, '.row button').focus({ preventScroll: true });
    const list = find(el, '[part="list"]');
    list.scrollTop = 8000;
    const focused = () => el.shadowRoot!.activeElement?.getAttribute('part');
    await until(() => focused() === 'list');
    expect(focused()).to.equal('list');
  });

  it('renders only the rows in view after a jump, and those beyond the edges when it rests', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles(createFiles(300));
    await waitForPaint(el);
    const list = find(el, '[part="list"]');
    const seen: { first: number; count: number }[] = [];
    const observer = new MutationObserver(() => {
      const rows = findRows(el);
      seen.push({ first: Number(rows[0]!.getAttribute('aria-posinset')), count: rows.length });
    });
    observer.observe(list, { childList: true });
    list.scrollTop = 100 * findRows(el)[0]!.offsetHeight;
    await until(() => seen.length === 2);
    observer.disconnect();
    expect(seen.map(({ first }) => first)).to.deep.equal([101, 95]);
    expect(seen[1]!.count - seen[0]!.count, 'six rows beyond each edge').to.equal(12);
  });

  it('has a summary of running uploads', async () => {
    const el = await createUploader({ multiple: true }, { storage: 'hang' });
    await el.addFiles(createFiles(60).map((one, index) => new File([one], `${index}.bin`)));
    await waitForPaint(el);
    expect(readTexts(el, 'summary')[0]).to.match(/^\d+ of 60 · \d+%/);
    el.pause();
    await waitForPaint(el);
    expect(readTexts(el, 'summary')[0]).to.include('Paused');
    expect(el.matches(':state(paused)')).to.equal(true);
    el.resume();
    el.clear();
    await waitForPaint(el);
    expect(findRows(el).length).to.equal(0);
    expect(el.matches(':state(empty)')).to.equal(true);
  });
});

describe('inline', () => {
  afterEach(removeAll);

  it('shows its single file in the same row', async () => {
    const el = await createUploader({ appearance: 'inline' });
    const height = find(el, '[part="dropzone"]').offsetHeight;
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.pdf', 3000)]);
    await complete;
    await waitForPaint(el);
    expect(find(el, '[part="list"]')).to.equal(null);
    expect([readTexts(el, 'name')[0], readTexts(el, 'size')[0], readTexts(el, 'status')[0]]).to.deep.equal([
      'a.pdf',
      '3 kB',
      'Uploaded',
    ]);
    expect(find(el, '[part="dropzone"]').offsetHeight, 'no jump').to.equal(height);
  });
});

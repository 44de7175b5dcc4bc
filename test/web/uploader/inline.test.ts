import { expect } from 'chai';
import { file, inside, once, painted, removeAll, rows, uploader } from './fixture.js';

describe('one row', () => {
  afterEach(removeAll);

  it('shows the file that was taken in the line, and below it what was not', async () => {
    const el = await uploader({ appearance: 'inline', 'allowed-extensions': 'pdf' });
    const shown = () =>
      rows(el).map((row) => `${row.closest('.line') ? 'line' : 'list'} ${row.querySelector('.name')!.textContent!.trim()}`);
    const complete = once(el, 'svc-complete');
    await el.addFiles([file('a.exe'), file('b.pdf'), file('c.exe')]);
    await complete;
    await painted(el);
    expect(shown()).to.deep.equal(['line b.pdf', 'list a.exe', 'list c.exe']);
    expect(inside(el, '[part=summary]')).to.equal(null);
    inside<HTMLButtonElement>(el, '.list [part=remove-button]').click();
    await painted(el);
    expect(shown()).to.deep.equal(['line b.pdf', 'list c.exe']);
    // What is stored stays where it is when the next choice is refused.
    await el.addFiles([file('d.exe')]);
    await painted(el);
    expect(shown()).to.deep.equal(['line b.pdf', 'list d.exe']);
    inside<HTMLButtonElement>(el, '.line [part=remove-button]').click();
    await painted(el);
    expect(shown()).to.deep.equal(['line d.exe']);
  });
});

import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { file, inside, painted, removeAll, sent, texts, until, uploader } from './fixture.js';

const names = (el: SvcUploader) => el.uploads.map(({ name }) => name);
const states = (el: SvcUploader) => el.uploads.map(({ name, state }) => `${name} ${state.status}`);
const is = (el: SvcUploader, status: string, at = 0) => until(() => el.uploads[at]?.state.status === status);

describe('a file that is in the list already', () => {
  afterEach(removeAll);

  it('is reported as duplicate, and neither counts as failed nor blocks the form', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await uploader({ multiple: true, name: 'doc' }, { parent });
    await el.addFiles([file('a.pdf', 300_000), file('b.pdf', 300_000)]);
    await is(el, 'done');
    await is(el, 'done', 1);
    const codes: string[] = [];
    el.addEventListener('svc-file-reject', ({ detail }) => codes.push(detail.code));
    await el.addFiles([file('a.pdf', 300_000), file('b.pdf', 300_000)]);
    await painted(el);
    expect(codes).to.deep.equal(['DUPLICATE_FILE', 'DUPLICATE_FILE']);
    expect(states(el)).to.deep.equal(['a.pdf done', 'b.pdf done', 'a.pdf rejected', 'b.pdf rejected']);
    expect(texts(el, 'status').slice(2)).to.deep.equal([
      'This file is already in the list.',
      'This file is already in the list.',
    ]);
    expect(texts(el, 'error')).to.deep.equal([]);
    expect(inside(el, '.row:last-child [part=remove-button]').getAttribute('aria-label')).to.equal('Remove b.pdf');
    expect(inside(el, '.summary-text').textContent).to.equal('2 files uploaded');
    expect(el.matches(':state(error)')).to.equal(false);
    expect(el.matches(':state(complete)')).to.equal(true);
    expect(parent.reportValidity()).to.equal(true);
    expect(sent(parent, 'doc')).to.deep.equal(['docs/a.pdf', 'docs/b.pdf']);
    await until(() => inside(el, '[role=status]').textContent!.includes('Already'));
    expect(inside(el, '[role=status]').textContent)
      .to.match(/b\.pdf: This file is already in the list\.$/)
      .and.not.include('not uploaded');
    await el.addFiles([file('c.pdf', 300_000)]);
    expect(names(el), 'gone with the next choice').to.deep.equal(['a.pdf', 'b.pdf', 'c.pdf']);
  });

  it('does not suppress the announcement of another refused file', async () => {
    const el = await uploader({ multiple: true, 'allowed-extensions': 'pdf' });
    await el.addFiles([file('a.pdf')]);
    await is(el, 'done');
    await until(() => inside(el, '[role=status]').textContent!.includes('uploaded'));
    await el.addFiles([file('x.exe'), file('a.pdf')]);
    await until(() => inside(el, '[role=status]').textContent!.includes('Already'));
    expect(inside(el, '[role=status]').textContent).to.match(/x\.exe: .+ a\.pdf: This file is already in the list\.$/);
  });
});

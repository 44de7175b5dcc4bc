import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, find, waitForPaint, removeAll, readFormEntries, readTexts, until, createUploader } from './fixture.js';

const listNames = (el: SvcUploader) => el.uploads.map(({ name }) => name);
const listStates = (el: SvcUploader) => el.uploads.map(({ name, state }) => `${name} ${state.status}`);
const waitForStatus = (el: SvcUploader, status: string, at = 0) => until(() => el.uploads[at]?.state.status === status);

describe('a file that is in the list already', () => {
  afterEach(removeAll);

  it('is reported as duplicate, and neither counts as failed nor blocks the form', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await createUploader({ multiple: true, name: 'doc' }, { parent });
    await el.addFiles([createFile('a.pdf', 300_000), createFile('b.pdf', 300_000)]);
    await waitForStatus(el, 'done');
    await waitForStatus(el, 'done', 1);
    const codes: string[] = [];
    el.addEventListener('svc-file-reject', ({ detail }) => codes.push(detail.code));
    await el.addFiles([createFile('a.pdf', 300_000), createFile('b.pdf', 300_000)]);
    await waitForPaint(el);
    expect(codes).to.deep.equal(['DUPLICATE_FILE', 'DUPLICATE_FILE']);
    expect(listStates(el)).to.deep.equal(['a.pdf done', 'b.pdf done', 'a.pdf rejected', 'b.pdf rejected']);
    expect(readTexts(el, 'status').slice(2)).to.deep.equal([
      'This file is already in the list.',
      'This file is already in the list.',
    ]);
    expect(readTexts(el, 'error')).to.deep.equal([]);
    expect(find(el, '.row:last-child [part=dismiss-button]').getAttribute('aria-label')).to.equal('Dismiss: b.pdf');
    expect(find(el, '.summary-text').textContent!.trim()).to.equal('2 files uploaded');
    expect(el.matches(':state(error)')).to.equal(false);
    expect(el.matches(':state(complete)')).to.equal(true);
    expect(parent.reportValidity()).to.equal(true);
    expect(readFormEntries(parent, 'doc')).to.deep.equal(['docs/a.pdf', 'docs/b.pdf']);
    await until(() => find(el, '[role=status]').textContent!.includes('already'));
    expect(find(el, '[role=status]').textContent)
      .to.match(/b\.pdf: This file is already in the list\.$/)
      .and.not.include('not uploaded');
    await el.addFiles([createFile('c.pdf', 300_000)]);
    expect(listNames(el), 'gone with the next choice').to.deep.equal(['a.pdf', 'b.pdf', 'c.pdf']);
  });

  it('does not suppress the announcement of another refused file', async () => {
    const el = await createUploader({ multiple: true, 'allowed-extensions': 'pdf' });
    await el.addFiles([createFile('a.pdf')]);
    await waitForStatus(el, 'done');
    await until(() => find(el, '[role=status]').textContent!.includes('uploaded'));
    await el.addFiles([createFile('x.exe'), createFile('a.pdf')]);
    await until(() => find(el, '[role=status]').textContent!.includes('already'));
    expect(find(el, '[role=status]').textContent).to.match(/x\.exe: .+ a\.pdf: This file is already in the list\.$/);
  });
});

import { expect } from 'chai';
import type { StoredFile } from '../../../src/element/index.js';
import {
  createFile,
  find,
  once,
  waitForPaint,
  removeAll,
  findRows,
  readFormEntries,
  readTexts,
  createUploader,
} from './fixture.js';

const createStoredFile = (name: string, more: Partial<StoredFile> = {}): StoredFile => ({
  id: name,
  path: `docs/${name}`,
  name,
  size: 3000,
  content_type: 'application/pdf',
  visibility: 'private',
  url: null,
  cache_control: null,
  content_disposition: null,
  expires_at: null,
  metadata: {},
  etag: '',
  sha256: '',
  created_at: '',
  updated_at: '',
  ...more,
});

describe('restored files', () => {
  afterEach(removeAll);

  it('are in the list and in the form like uploaded ones, and can be removed', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await createUploader({ multiple: true, name: 'doc', required: true, 'max-files': 3 }, { parent });
    const events: string[] = [];
    for (const type of ['change', 'svc-file-add', 'svc-upload-success', 'svc-complete'] as const)
      el.addEventListener(type, () => events.push(type));
    el.restore([createStoredFile('a.pdf'), createStoredFile('x-9f3.pdf', { shown_name: 'b.pdf' })]);
    expect(readFormEntries(parent, 'doc'), 'in the next line').to.deep.equal(['docs/a.pdf', 'docs/x-9f3.pdf']);
    expect(parent.checkValidity()).to.equal(true);
    await waitForPaint(el);
    expect([readTexts(el, 'name'), readTexts(el, 'size')]).to.deep.equal([
      ['a.pdf', 'b.pdf'],
      ['3 kB', '3 kB'],
    ]);
    expect(events).to.deep.equal([]);
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('c.pdf', 300_000), createFile('d.pdf')]);
    await complete;
    expect(
      el.uploads.map(({ state }) => state.status),
      'they count',
    ).to.deep.equal(['done', 'done', 'done', 'rejected']);
    find(el, '[part=remove-button]').click();
    expect(readFormEntries(parent, 'doc')).to.deep.equal(['docs/x-9f3.pdf', 'docs/c.pdf']);
  });

  it('are listed once, however often they are restored', async () => {
    const el = await createUploader({ multiple: true });
    el.restore([createStoredFile('a.pdf')]);
    el.restore([createStoredFile('a.pdf'), createStoredFile('b.pdf')]);
    await waitForPaint(el);
    expect(findRows(el)).to.have.lengthOf(2);
    expect(el.values).to.deep.equal(['docs/a.pdf', 'docs/b.pdf']);
  });

  it('are replaced by the next choice of a single-file element', async () => {
    const el = await createUploader({ name: 'doc' });
    el.restore([createStoredFile('a.pdf')]);
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('b.pdf', 300_000)]);
    await complete;
    expect(el.values).to.deep.equal(['docs/b.pdf']);
  });

  it('need no more than id, path, name and size', async () => {
    const el = await createUploader({ multiple: true });
    const bad = { ...createStoredFile('b.pdf'), path: undefined } as unknown as StoredFile;
    expect(() => el.restore([createStoredFile('a.pdf'), bad])).to.throw(
      TypeError,
      'restore() takes records of files: id, path, name and size.',
    );
    expect(el.uploads, 'none of them').to.deep.equal([]);
  });

  it('are refused if a record is incomplete, and listed once each', async () => {
    const el = await createUploader({ multiple: true });
    el.restore([createStoredFile('a.pdf'), createStoredFile('a.pdf')]);
    expect(el.uploads).to.have.length(1);
    for (const wrong of [{ size: Number.NaN }, { size: -1 }, { shown_name: 5 }, { relative_path: {} }, { content_type: [] }])
      expect(() => el.restore([createStoredFile('b.pdf', wrong as never)]), JSON.stringify(wrong)).to.throw(TypeError);
    expect(el.uploads).to.have.length(1);
  });
});

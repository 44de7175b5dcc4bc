import { expect } from 'chai';
import { createFile, find, once, waitForPaint, removeAll, readTexts, until, createUploader } from './fixture.js';

describe('the accepted files', () => {
  afterEach(removeAll);

  it('are offered by the picker, by extension if no type is set', async () => {
    const el = await createUploader({ 'allowed-extensions': 'pdf, tar.gz' });
    const offered = async () => {
      await el.updateComplete;
      return find(el, 'input').getAttribute('accept');
    };
    expect(await offered()).to.equal('.pdf,.gz');
    el.accept = 'image/*';
    expect(await offered()).to.equal('image/*');
    el.accept = '';
    el.allowedExtensions = null;
    expect(await offered()).to.equal(null);
  });

  it('match accept, even if no picker offered them', async () => {
    const el = await createUploader({ multiple: true, manual: true, accept: 'image/*, .pdf' });
    await el.addFiles([createFile('a.png', 10, 'image/png'), createFile('b.PDF'), createFile('c.txt', 10, 'text/plain')]);
    await waitForPaint(el);
    expect(el.uploads.map(({ state }) => state.status)).to.deep.equal(['queued', 'queued', 'rejected']);
    expect(readTexts(el, 'hint')).to.deep.equal(['Images or PDF']);
    expect(readTexts(el, 'error')).to.deep.equal(['This type of file is not accepted. Choose images or PDF.']);
  });

  it('are named as people know them if accept has media types', async () => {
    const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    const el = await createUploader({
      accept: `application/pdf, .pdf, image/jpeg, image/svg+xml, ${word}, audio/mpeg, text/*, video/*`,
      'max-size': '5MB',
    });
    expect(readTexts(el, 'hint')).to.deep.equal(['PDF, JPG, SVG, DOCX, MP3, text/*, or videos, up to 5 MB']);
  });

  it('name every accepted type, however many, and JPG and JPEG as one', async () => {
    const el = await createUploader({
      multiple: true,
      manual: true,
      'allowed-extensions': 'jpg,jpeg,png,gif,webp,avif,heic,tif,pdf',
    });
    const types = 'JPG, PNG, GIF, WEBP, AVIF, HEIC, TIF, or PDF';
    expect(readTexts(el, 'hint')).to.deep.equal([types]);
    await el.addFiles([createFile('a.exe')]);
    await waitForPaint(el);
    expect(readTexts(el, 'error')).to.deep.equal([`This type of file is not accepted. Choose ${types}.`]);
  });

  it('are at most one file where several could be chosen, which the hint says', async () => {
    const el = await createUploader({ multiple: true, manual: true, 'max-files': '1', 'max-size': '1kB' });
    expect(readTexts(el, 'hint')).to.deep.equal(['Up to 1 kB, at most 1 file']);
    expect(readTexts(el, 'file-selector-button')).to.deep.equal(['Choose a file']);
    el.multiple = false;
    await el.updateComplete;
    expect(readTexts(el, 'hint')).to.deep.equal(['Up to 1 kB']);
  });

  it('have a limited total size, which the hint shows', async () => {
    const el = await createUploader({ multiple: true, manual: true, 'max-total-size': '1kB' });
    expect(readTexts(el, 'hint')).to.deep.equal(['Up to 1 kB in total']);
    await el.addFiles([createFile('a.txt', 600), createFile('b.txt', 600), createFile('c.txt', 400)]);
    await waitForPaint(el);
    expect(el.uploads.map(({ state }) => state.status)).to.deep.equal(['queued', 'rejected', 'queued']);
    expect(readTexts(el, 'error')).to.deep.equal([
      'Your files can be at most 1 kB in total. Remove other files or choose smaller ones.',
    ]);
  });

  it('include a second one if the only one failed permanently', async () => {
    const el = await createUploader({ multiple: true, 'max-files': 1 }, { storage: 'refuse/FILE_EXISTS/409' });
    await el.addFiles([createFile('a.txt', 300_000)]);
    await until(() => el.uploads[0]!.state.status === 'failed');
    await waitForPaint(el);
    expect(find(el, '.pick').matches(':enabled')).to.equal(true);
    expect(el.matches(':state(max-files)')).to.equal(false);
    el.endpoint = `${location.origin}/storage/store`;
    await el.updateComplete;
    await el.addFiles([createFile('b.txt', 300_000)]);
    await until(() => el.uploads.at(-1)!.state.status === 'done');
    await waitForPaint(el);
    expect(el.uploads.map(({ state }) => state.status)).to.deep.equal(['failed', 'done']);
    expect(find(el, '.pick').matches(':enabled')).to.equal(false);
  });

  it('exclude empty files, unless the page allows them', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles([createFile('a.txt', 0)]);
    el.allowEmpty = true;
    await el.addFiles([createFile('b.txt', 0)]);
    expect(el.uploads.map(({ name, state }) => `${name} ${state.status}`)).to.deep.equal(['b.txt queued']);
  });

  it('are sent in as many parallel requests as the page sets', async () => {
    const el = await createUploader({ multiple: true, concurrency: 2 }, { storage: 'hang' });
    await el.addFiles(['a', 'b', 'c', 'd'].map((name) => createFile(name, 400_000)));
    const under = () => el.uploads.filter(({ state }) => state.status === 'uploading').length;
    await until(() => under() === 2);
    // A third request would start in the next frames.
    await waitForPaint(el);
    await waitForPaint(el);
    expect(under()).to.equal(2);
    expect(el.uploads.filter(({ state }) => state.status === 'queued').length).to.equal(2);
  });

  it('make the element invalid if the limit is lowered below their number', async () => {
    const el = await createUploader({ multiple: true, 'max-files': 3 });
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.txt'), createFile('b.txt')]);
    await complete;
    expect(el.validity.valid).to.equal(true);
    el.maxFiles = 1;
    await el.updateComplete;
    expect(el.validity.rangeOverflow).to.equal(true);
    expect(el.validationMessage).to.equal('You can add only 1 file. Remove another file first.');
    el.cancel(el.uploads[0]!.id);
    expect(el.validity.valid).to.equal(true);
  });
});

describe('the text of a failed upload', () => {
  afterEach(removeAll);

  for (const [storage, words, again] of [
    ['refuse/NOT_FOUND/404', 'This file was not uploaded. Try again.', true],
    ['refuse/IDEMPOTENCY_KEY_REUSED/409', 'This file was not uploaded. Try again.', true],
    ['refuse/UNEXPECTED_ANSWER/400', 'This file was not uploaded. Try again.', true],
    ['refuse/UNEXPECTED_ANSWER/413', 'This file is too large. Choose a smaller file.', false],
    ['refuse/FILE_EXISTS/409', 'A file with this name already exists. Rename your file and choose it again.', false],
  ] as const)
    it(`tells what to do (${storage})`, async () => {
      const el = await createUploader({}, { storage });
      const complete = once(el, 'svc-complete');
      await el.addFiles([createFile('a.bin', 400_000)]);
      await complete;
      await waitForPaint(el);
      expect(readTexts(el, 'error')).to.deep.equal([words]);
      expect(find(el, '[part=retry-button]') !== null).to.equal(again);
    });

  it('does not ask the person to wait while the upload is paused', async () => {
    const el = await createUploader({}, { storage: 'hang' });
    await el.addFiles([createFile('a.bin', 400_000)]);
    expect(el.validationMessage).to.equal('Your files are still uploading. Wait a moment, then send the form again.');
    el.pause();
    expect(el.validationMessage).to.equal('Upload your files first.');
    el.resume();
    expect(el.validationMessage).to.match(/Wait a moment/);
  });
});

describe('fetch-limits', () => {
  const { fetch } = window;
  let requests: unknown[] = [];
  /** Lets the token endpoint respond. */
  function respond(status: number, body: unknown): void {
    window.fetch = async (_address, init) => {
      requests.push(JSON.parse(String(init?.body)));
      return Response.json(body, { status });
    };
  }
  beforeEach(() => (requests = []));
  afterEach(() => {
    window.fetch = fetch;
    removeAll();
  });

  const LIMITS = { limits: { max_size: 5_000_000, allowed_extensions: ['pdf', 'png'], max_uses: 3 } };
  const create = (attributes = {}) =>
    createUploader({ token: false, 'token-endpoint': '/token', 'fetch-limits': true, multiple: true, ...attributes });

  it('shows the limits of the token before a file is chosen, and applies them', async () => {
    respond(200, LIMITS);
    const el = await create({ 'allowed-extensions': 'pdf, txt' });
    await until(() => readTexts(el, 'hint')[0] !== 'PDF or TXT');
    expect(readTexts(el, 'hint')).to.deep.equal(['PDF, up to 5 MB']);
    expect(requests).to.deep.equal([{ files: [], reason: 'limits' }]);
    el.manual = true;
    await el.addFiles([createFile('a.txt'), createFile('b.pdf')]);
    expect(el.uploads.map(({ state }) => state.status)).to.deep.equal(['rejected', 'queued']);
    el.fetchLimits = false;
    await el.updateComplete;
    await waitForPaint(el);
    expect(requests).to.have.lengthOf(1);
  });

  it('shows the limits of a token that the page sets', async () => {
    window.fetch = async (address, init) => {
      requests.push([String(address), new Headers(init?.headers).get('authorization')]);
      return Response.json({ response: { max_size: 5_000_000, allowed_extensions: ['pdf'], uses_left: 1 } });
    };
    const el = await createUploader({ 'fetch-limits': true });
    await until(() => readTexts(el, 'hint')[0] !== '');
    expect(readTexts(el, 'hint')).to.deep.equal(['PDF, up to 5 MB']);
    expect(requests).to.deep.equal([[`${location.origin}/storage/store/v1/upload-tokens/self`, 'Bearer svcup_test']]);
  });

  for (const [title, status, body] of [
    ['refuses the reason', 400, { code: 'VALIDATION_ERROR', ...LIMITS }],
    ['responds with a token', 200, { token: 'svcup_a', url: location.origin, max_size: 1, allowed_extensions: ['gif'] }],
    ['responds with something else', 200, 'ok'],
  ] as const)
    it(`leaves the limits of the attributes if the endpoint ${title}`, async () => {
      respond(status, body);
      const el = await create({ 'max-size': '3MB' });
      await until(() => requests.length > 0);
      for (let paint = 0; paint < 5; paint++) await waitForPaint(el);
      expect([readTexts(el, 'hint'), requests.length]).to.deep.equal([['Up to 3 MB'], 1]);
    });

  it('is off by default, because a route might create a token', async () => {
    respond(200, LIMITS);
    const el = await create({ 'fetch-limits': false });
    for (let paint = 0; paint < 5; paint++) await waitForPaint(el);
    expect(requests).to.deep.equal([]);
  });
});

// Every browser: the main path must work everywhere.
import { expect } from 'chai';
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

describe('choosing and uploading', () => {
  afterEach(removeAll);

  it('uploads an added file and hands its path to the form', async () => {
    const form = document.body.appendChild(document.createElement('form'));
    const el = await createUploader({ name: 'doc' }, { parent: form });
    const success = once(el, 'svc-upload-success');
    await el.addFiles([createFile('a.pdf', 1000)]);
    expect(readFormEntries(form, 'doc')).to.deep.equal([]);
    expect((await success).detail.record.path).to.equal('docs/a.pdf');
    expect(readFormEntries(form, 'doc'), 'in the same task as the event').to.deep.equal(['docs/a.pdf']);
    expect(el.value).to.equal('docs/a.pdf');
    await waitForPaint(el);
    expect(readTexts(el, 'name')).to.deep.equal(['a.pdf']);
    expect(readTexts(el, 'status')[0]).to.include('Uploaded');
  });

  it('refuses a wrong extension and a large file with a message and without a request', async () => {
    const el = await createUploader({ multiple: true, 'max-size': '1kB', 'allowed-extensions': 'pdf' });
    const refused: string[] = [];
    el.addEventListener('svc-file-reject', ({ detail }) => refused.push(detail.code));
    const before = performance.getEntriesByType('resource').length;
    await el.addFiles([createFile('a.exe'), createFile('b.pdf', 2000)]);
    await waitForPaint(el);
    expect(refused).to.deep.equal(['BLOCKED_FILE_TYPE', 'BLOB_FILE_TOO_LARGE']);
    expect(readTexts(el, 'error')).to.deep.equal([
      'This type of file is not accepted. Choose PDF.',
      'This file is larger than 1 kB. Choose a smaller file.',
    ]);
    expect(performance.getEntriesByType('resource').length).to.equal(before);
  });

  it('adds the picked files, and accepts the same file again', async () => {
    const el = await createUploader({ multiple: true });
    const input = find<HTMLInputElement>(el, 'input[type=file]');
    const transfer = new DataTransfer();
    transfer.items.add(createFile('picked.txt'));
    input.files = transfer.files;
    const complete = once(el, 'svc-complete');
    input.dispatchEvent(new Event('change'));
    expect((await complete).detail.successful.map(({ name }) => name)).to.deep.equal(['picked.txt']);
    expect(input.value).to.equal('');
  });

  it('adds dropped files, and has a state while they are dragged', async () => {
    const el = await createUploader({ multiple: true });
    const transfer = new DataTransfer();
    transfer.items.add(createFile('dropped.txt'));
    const drag = (type: string) =>
      el.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true, composed: true }));
    drag('dragenter');
    await el.updateComplete;
    expect(el.matches(':state(dragging)')).to.equal(true);
    expect(drag('dragover'), 'the browser must not open the file').to.equal(false);
    const complete = once(el, 'svc-complete');
    drag('drop');
    expect((await complete).detail.successful.map(({ name }) => name)).to.deep.equal(['dropped.txt']);
    expect(el.matches(':state(dragging)')).to.equal(false);
  });

  it('cancels one file, and focuses the next', async () => {
    const el = await createUploader({ multiple: true }, { storage: 'hang' });
    await el.addFiles([createFile('a.txt'), createFile('b.txt')]);
    await waitForPaint(el);
    const [first] = findRows(el);
    const button = first!.querySelector<HTMLButtonElement>('[part~="remove-button"]')!;
    button.focus();
    button.click();
    await waitForPaint(el);
    expect(readTexts(el, 'name')).to.deep.equal(['b.txt']);
    expect(el.shadowRoot!.activeElement?.getAttribute('aria-label')).to.equal('Cancel b.txt');
  });

  it('shows why the service refused a file, and retries it', async () => {
    const el = await createUploader({}, { storage: 'refuse/CHECKSUM_MISMATCH/422' });
    const failed = once(el, 'svc-upload-error');
    await el.addFiles([createFile('a.txt')]);
    expect((await failed).detail.error.code).to.equal('CHECKSUM_MISMATCH');
    await waitForPaint(el);
    expect(readTexts(el, 'error')).to.deep.equal(['This file was damaged during the upload. Try again.']);
    el.endpoint = `${location.origin}/storage/store`;
    await el.updateComplete;
    const success = once(el, 'svc-upload-success');
    const retry = find(el, '[part~="retry-button"]');
    if (retry) retry.click();
    else el.retry(el.uploads[0]!.id);
    expect((await success).detail.record.path).to.equal('docs/a.txt');
  });

  it('sends the files to the token endpoint, and uploads to the address of its response', async () => {
    const el = await createUploader({ token: false, endpoint: false, 'token-endpoint': '/storage/token' });
    const success = once(el, 'svc-upload-success');
    await el.addFiles([createFile('a.txt')]);
    expect((await success).detail.record.path).to.equal('docs/a.txt');
  });

  it('calls a token provider once for many files', async () => {
    const el = await createUploader({ multiple: true, token: false });
    let calls = 0;
    el.tokenProvider = async ({ files, reason }) => {
      calls += 1;
      expect(files.length).to.equal(20);
      expect(reason).to.equal('start');
      return {
        token: 'svcup_provided',
        url: `${location.origin}/storage/store`,
        expires_at: new Date(Date.now() + 900_000).toISOString(),
        max_uses: 100,
        max_size: null,
        allowed_extensions: null,
      };
    };
    const complete = once(el, 'svc-complete');
    await el.addFiles(Array.from({ length: 20 }, (_, index) => createFile(`${index}.txt`, 500_000)));
    expect((await complete).detail.successful.length).to.equal(20);
    expect(calls).to.equal(1);
  });

  it('refuses an API key as a token, with a reason', async () => {
    const el = await createUploader({ token: 'svc_live_0123456789' });
    expect(el.validity.customError).to.equal(true);
    expect(el.validationMessage).to.include('API key').and.not.include('0123456789');
    const failed = once(el, 'svc-upload-error');
    await el.addFiles([createFile()]);
    expect((await failed).detail.error.code).to.equal('VALIDATION_ERROR');
  });
});

// Every browser: the main path must work everywhere.
import { expect } from 'chai';
import { file, inside, once, painted, removeAll, rows, sent, texts, uploader } from './fixture.js';

describe('choosing and uploading', () => {
  afterEach(removeAll);

  it('uploads an added file and hands its path to the form', async () => {
    const form = document.body.appendChild(document.createElement('form'));
    const el = await uploader({ name: 'doc' }, { parent: form });
    const success = once(el, 'svc-upload-success');
    await el.addFiles([file('a.pdf', 1000)]);
    expect(sent(form, 'doc')).to.deep.equal([]);
    expect((await success).detail.record.path).to.equal('docs/a.pdf');
    expect(sent(form, 'doc'), 'in the same task as the event').to.deep.equal(['docs/a.pdf']);
    expect(el.value).to.equal('docs/a.pdf');
    await painted(el);
    expect(texts(el, 'name')).to.deep.equal(['a.pdf']);
    expect(texts(el, 'status')[0]).to.include('Uploaded');
  });

  it('refuses a wrong extension and a large file with a message and without a request', async () => {
    const el = await uploader({ multiple: true, 'max-size': '1kB', 'allowed-extensions': 'pdf' });
    const refused: string[] = [];
    el.addEventListener('svc-file-reject', ({ detail }) => refused.push(detail.code));
    const before = performance.getEntriesByType('resource').length;
    await el.addFiles([file('a.exe'), file('b.pdf', 2000)]);
    await painted(el);
    expect(refused).to.deep.equal(['BLOCKED_FILE_TYPE', 'BLOB_FILE_TOO_LARGE']);
    expect(texts(el, 'error')).to.deep.equal([
      'This type of file is not accepted. Choose PDF.',
      'This file is larger than 1 kB. Choose a smaller file.',
    ]);
    expect(performance.getEntriesByType('resource').length).to.equal(before);
  });

  it('adds the picked files, and accepts the same file again', async () => {
    const el = await uploader({ multiple: true });
    const input = inside<HTMLInputElement>(el, 'input[type=file]');
    const transfer = new DataTransfer();
    transfer.items.add(file('picked.txt'));
    input.files = transfer.files;
    const complete = once(el, 'svc-complete');
    input.dispatchEvent(new Event('change'));
    expect((await complete).detail.successful.map(({ name }) => name)).to.deep.equal(['picked.txt']);
    expect(input.value).to.equal('');
  });

  it('adds dropped files, and has a state while they are dragged', async () => {
    const el = await uploader({ multiple: true });
    const transfer = new DataTransfer();
    transfer.items.add(file('dropped.txt'));
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
    const el = await uploader({ multiple: true }, { storage: 'hang' });
    await el.addFiles([file('a.txt'), file('b.txt')]);
    await painted(el);
    const [first] = rows(el);
    const button = first!.querySelector<HTMLButtonElement>('[part~="remove-button"]')!;
    button.focus();
    button.click();
    await painted(el);
    expect(texts(el, 'name')).to.deep.equal(['b.txt']);
    expect(el.shadowRoot!.activeElement?.getAttribute('aria-label')).to.equal('Cancel b.txt');
  });

  it('shows why the service refused a file, and retries it', async () => {
    const el = await uploader({}, { storage: 'refuse/CHECKSUM_MISMATCH/422' });
    const failed = once(el, 'svc-upload-error');
    await el.addFiles([file('a.txt')]);
    expect((await failed).detail.error.code).to.equal('CHECKSUM_MISMATCH');
    await painted(el);
    expect(texts(el, 'error')).to.deep.equal(['This file was damaged during the upload. Try again.']);
    el.endpoint = `${location.origin}/storage/store`;
    await el.updateComplete;
    const success = once(el, 'svc-upload-success');
    const retry = inside(el, '[part~="retry-button"]');
    if (retry) retry.click();
    else el.retry(el.uploads[0]!.id);
    expect((await success).detail.record.path).to.equal('docs/a.txt');
  });

  it('sends the files to the token endpoint, and uploads to the address of its response', async () => {
    const el = await uploader({ token: false, endpoint: false, 'token-endpoint': '/storage/token' });
    const success = once(el, 'svc-upload-success');
    await el.addFiles([file('a.txt')]);
    expect((await success).detail.record.path).to.equal('docs/a.txt');
  });

  it('calls a token provider once for many files', async () => {
    const el = await uploader({ multiple: true, token: false });
    let asked = 0;
    el.tokenProvider = async ({ files, reason }) => {
      asked += 1;
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
    await el.addFiles(Array.from({ length: 20 }, (_, index) => file(`${index}.txt`, 500_000)));
    expect((await complete).detail.successful.length).to.equal(20);
    expect(asked).to.equal(1);
  });

  it('refuses an API key as a token, with a reason', async () => {
    const el = await uploader({ token: 'svc_live_0123456789' });
    expect(el.validity.customError).to.equal(true);
    expect(el.validationMessage).to.include('API key').and.not.include('0123456789');
    const failed = once(el, 'svc-upload-error');
    await el.addFiles([file()]);
    expect((await failed).detail.error.code).to.equal('VALIDATION_ERROR');
  });
});

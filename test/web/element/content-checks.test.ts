// Every browser: engines give pasted files differently.
import { expect } from 'chai';
import { createFile, once, paste, waitForPaint, removeAll, readTexts, createUploader } from './fixture.js';

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);

describe('optional checks', () => {
  afterEach(removeAll);

  it('sniff refuses only files whose content does not match the name, with a message', async () => {
    const el = await createUploader({ multiple: true, sniff: true });
    const refused: string[] = [];
    el.addEventListener('svc-file-reject', ({ detail }) => refused.push(`${detail.file!.name}: ${detail.code}`));
    const complete = once(el, 'svc-complete');
    await el.addFiles([
      new File([PNG], 'real.png'),
      new File(['MZ\x90\0 a program'], 'photo.jpg'),
      new File(['text'], 'notes.txt'),
    ]);
    await complete;
    await waitForPaint(el);
    expect(refused).to.deep.equal(['photo.jpg: CONTENT_MISMATCH']);
    expect(el.values).to.deep.equal(['docs/real.png', 'docs/notes.txt']);
    expect(readTexts(el, 'error')).to.deep.equal(['The content of this file does not match its extension. Choose another file.']);
    expect(el.validity.valid).to.equal(true);
  });

  it('sniff does nothing without the attribute', async () => {
    const el = await createUploader();
    const complete = once(el, 'svc-complete');
    await el.addFiles([new File(['MZ\x90\0 a program'], 'photo.jpg')]);
    await complete;
    expect(el.values).to.deep.equal(['docs/photo.jpg']);
  });

  it('verify fails an upload if other bytes were stored', async () => {
    // The stand-in returns no SHA-256, which counts as a wrong one.
    const el = await createUploader({ verify: true });
    const failed = once(el, 'svc-upload-error');
    await el.addFiles([createFile('a.txt', 300_000)]);
    const { error } = (await failed).detail;
    expect(error.code).to.equal('CHECKSUM_MISMATCH');
    expect(error.details['expected']).to.match(/^[0-9a-f]{64}$/);
    await waitForPaint(el);
    expect(readTexts(el, 'error')).to.deep.equal(['This file was damaged during the upload. Try again.']);
    expect(el.value).to.equal('');
  });
});

describe('pasting', () => {
  afterEach(removeAll);

  it('adds the files of the clipboard, and cancels the event', async () => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([PNG], 'image.png', { type: 'image/png' }));
    const el = await createUploader({ multiple: true });
    const complete = once(el, 'svc-complete');
    expect(paste(el, transfer), 'prevented').to.equal(false);
    await complete;
    expect(el.values).to.deep.equal(['docs/image.png']);
  });

  it('ignores text, and adds nothing to a disabled or read-only element', async () => {
    const el = await createUploader({ multiple: true, disabled: true });
    const text = new DataTransfer();
    text.setData('text/plain', 'hello');
    expect(paste(el, text)).to.equal(true);
    const files = new DataTransfer();
    files.items.add(createFile());
    expect(paste(el, files)).to.equal(true);
    expect(el.uploads).to.deep.equal([]);
  });
});

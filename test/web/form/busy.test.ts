// Every browser: engines report validity of form-associated elements differently.
// Long because every way in which an element becomes and stops being busy is one table of cases.
import { expect } from 'chai';
import { BlobError } from '../../../src/protocol/errors.js';
import type { FileRecord } from '../../../src/protocol/types.js';
import {
  createFile,
  find,
  once,
  waitForPaint,
  removeAll,
  readFormEntries,
  readTexts,
  createUploader,
} from '../element/fixture.js';
import type { Attributes } from '../element/fixture.js';
import { itOnce } from '../once.js';

async function createForm(attributes: Attributes = {}, storage = 'slow') {
  const form = document.body.appendChild(document.createElement('form'));
  const submits: { value: FormDataEntryValue[]; submitter: string | undefined }[] = [];
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submits.push({ value: readFormEntries(form, 'doc'), submitter: event.submitter?.id });
  });
  const el = await createUploader({ name: 'doc', multiple: true, ...attributes }, { storage, parent: form });
  return { form, el, submits };
}

describe('a form while files are being sent', () => {
  afterEach(removeAll);

  it('is stopped with a message, and can be submitted afterwards', async () => {
    const { form, el, submits } = await createForm();
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.pdf', 300_000)]);
    form.requestSubmit();
    expect(submits).to.deep.equal([]);
    expect(el.validity.customError).to.equal(true);
    expect(el.validationMessage).to.equal('Your files are still uploading. Wait a moment, then send the form again.');
    await complete;
    form.requestSubmit();
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
  });

  itOnce('respects a change of submit-waits and readonly at once', async () => {
    const { form, el, submits } = await createForm();
    const isBlocked = () => !form.checkValidity();
    await el.addFiles([createFile('a.pdf', 300_000)]);
    expect(isBlocked(), 'at first').to.equal(true);
    el.submitWaits = true;
    expect(isBlocked(), 'with submitWaits').to.equal(false);
    el.removeAttribute('submit-waits');
    el.submitWaits = false;
    expect(isBlocked(), 'without submitWaits').to.equal(true);
    el.readOnly = true;
    expect(isBlocked(), 'with readOnly').to.equal(false);
    el.readOnly = false;
    expect(isBlocked(), 'without readOnly').to.equal(true);
    el.setAttribute('submit-waits', '');
    form.requestSubmit();
    expect(submits, 'before the file is uploaded').to.deep.equal([]);
    await once(form, 'submit');
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
  });

  it('waits with submit-waits, shows a message, and is sent by the same button', async () => {
    const { form, el, submits } = await createForm({ 'submit-waits': true });
    const button = form.appendChild(document.createElement('button'));
    button.id = 'save';
    await el.addFiles([createFile('a.pdf', 300_000)]);
    button.click();
    await waitForPaint(el);
    expect(submits).to.deep.equal([]);
    expect(readTexts(el, 'note')).to.deep.equal(['Your form will be sent when the files are uploaded.']);
    await once(form, 'submit');
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: 'save' }]);
    await waitForPaint(el);
    expect(readTexts(el, 'note')).to.deep.equal([]);
  });

  for (const [title, act] of [
    ['is removed', (button: HTMLElement) => button.remove()],
    [
      'belongs to another form',
      (button: HTMLElement) => document.body.appendChild(document.createElement('form')).append(button),
    ],
    ['sends no more', (button: HTMLElement) => button.setAttribute('type', 'button')],
  ] as const)
    itOnce(`is sent without its button if that ${title}`, async () => {
      const { form, el, submits } = await createForm({ 'submit-waits': true });
      const button = form.appendChild(document.createElement('button'));
      button.id = 'save';
      await el.addFiles([createFile('a.pdf', 300_000)]);
      button.click();
      act(button);
      await once(form, 'submit');
      expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
    });

  itOnce('is not sent without an element that left it, until it is submitted again', async () => {
    for (const act of [(el: Element) => el.remove(), (el: Element) => document.body.append(el)]) {
      const { form, el, submits } = await createForm({ 'submit-waits': true });
      await el.addFiles([createFile('a.pdf', 300_000)]);
      form.requestSubmit();
      act(el);
      const complete = once(el, 'svc-complete');
      document.body.append(el);
      await complete;
      await waitForPaint(el);
      expect(submits).to.deep.equal([]);
      expect(readTexts(el, 'note')).to.deep.equal([]);
      form.requestSubmit();
      expect(submits).to.deep.equal([{ value: [], submitter: undefined }]);
    }
  });

  itOnce('waits for an element that is moved within it', async () => {
    const { form, el, submits } = await createForm({ 'submit-waits': true });
    await el.addFiles([createFile('a.pdf', 300_000)]);
    form.requestSubmit();
    form.prepend(el);
    await once(form, 'submit');
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
  });

  itOnce('is not sent without an element that moved to another form', async () => {
    const { form, el, submits } = await createForm({ 'submit-waits': true });
    const other = document.body.appendChild(document.createElement('form'));
    await el.addFiles([createFile('a.pdf', 300_000)]);
    form.requestSubmit();
    const complete = once(el, 'svc-complete');
    other.append(el);
    await complete;
    await waitForPaint(el);
    expect(submits).to.deep.equal([]);
    expect(readTexts(el, 'note')).to.deep.equal([]);
    expect(new FormData(other).getAll('doc')).to.deep.equal(['docs/a.pdf']);
  });

  itOnce('waits from the moment of the choice, also if a file is required', async () => {
    const { form, el, submits } = await createForm({ 'submit-waits': true, required: true });
    expect(form.checkValidity()).to.equal(false);
    void el.addFiles([createFile('a.pdf', 300_000)]);
    form.requestSubmit();
    expect(form.checkValidity(), 'in the next line').to.equal(true);
    await once(form, 'submit');
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
  });

  itOnce('waits while a large choice is being validated, and is sent with all its files', async () => {
    const { form, el, submits } = await createForm({ 'submit-waits': true, required: true });
    el.transport = {
      send: async ({ file: { name } }) => ({ id: name, path: name, name, size: 1 }) as FileRecord,
    };
    // The first hundred are skipped, and take so long that the others come in a later task.
    let heard = 0;
    el.addEventListener('svc-file-add', (event) => {
      heard += 1;
      if (heard > 100) return;
      event.preventDefault();
      for (const end = performance.now() + 0.2; performance.now() < end;);
    });
    const added = el.addFiles(Array.from({ length: 150 }, (_, at) => createFile(`${at}.pdf`, 1)));
    expect([heard, el.uploads.length]).to.deep.equal([100, 0]);
    form.requestSubmit();
    expect(submits).to.deep.equal([]);
    await once(form, 'submit');
    await added;
    expect(submits.map(({ value }) => value.length)).to.deep.equal([50]);
  });

  itOnce('stops waiting when a choice is cleared while it is being validated', async () => {
    const { form, el } = await createForm();
    for (const act of [() => el.clear(), () => form.reset(), () => el.cancel()]) {
      el.addEventListener('svc-file-add', (event) => {
        event.preventDefault();
        for (const end = performance.now() + 0.2; performance.now() < end;);
      });
      void el.addFiles(Array.from({ length: 150 }, (_, at) => createFile(`${at}.pdf`, 1)));
      expect(el.validity.customError).to.equal(true);
      act();
      expect(el.validity.customError).to.equal(false);
    }
  });

  itOnce('stops waiting when the content was refused', async () => {
    const { form, el, submits } = await createForm({ 'submit-waits': true, sniff: true });
    void el.addFiles([createFile('a.pdf')]);
    form.requestSubmit();
    await once(el, 'invalid');
    expect(submits).to.deep.equal([]);
    await waitForPaint(el);
    expect(readTexts(el, 'note')).to.deep.equal(['Some of your files were not uploaded. Try again or remove them.']);
  });

  itOnce('is not sent if a file failed while it waited', async () => {
    const { form, el, submits } = await createForm({ 'submit-waits': true }, 'refuse/FILE_EXISTS/409');
    await el.addFiles([createFile('a.pdf', 300_000)]);
    const invalid = once(el, 'invalid');
    form.requestSubmit();
    await invalid;
    expect(submits).to.deep.equal([]);
    expect(el.validity.badInput).to.equal(true);
  });

  for (const [title, unvalidated] of [
    ['a form that is not validated', (form: HTMLFormElement) => (form.noValidate = true)],
    ['a button that asks for no validation', (_: HTMLFormElement, button: HTMLButtonElement) => (button.formNoValidate = true)],
  ] as const) {
    it(`waits for the files and shows a message, with ${title}`, async () => {
      const { form, el, submits } = await createForm();
      const button = form.appendChild(document.createElement('button'));
      button.id = 'save';
      unvalidated(form, button);
      await el.addFiles([createFile('a.pdf', 300_000)]);
      button.click();
      await waitForPaint(el);
      expect(submits).to.deep.equal([]);
      expect(readTexts(el, 'note')).to.deep.equal(['Your form will be sent when the files are uploaded.']);
      await once(form, 'submit');
      expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: 'save' }]);
    });

    it(`is not sent without a file that failed, and shows a message, with ${title}`, async () => {
      const { form, el, submits } = await createForm({}, 'refuse/FILE_EXISTS/409');
      const button = form.appendChild(document.createElement('button'));
      unvalidated(form, button);
      await el.addFiles([createFile('a.pdf', 300_000)]);
      const invalid = once(el, 'invalid');
      button.click();
      await invalid;
      await waitForPaint(el);
      expect(submits).to.deep.equal([]);
      expect(readTexts(el, 'note').join()).to.not.include('will be sent');
      button.click();
      expect(submits, 'sent again it is the page that decides').to.have.lengthOf(1);
    });
  }

  it('aborts running uploads when it is reset', async () => {
    const { form, el } = await createForm({}, 'hang');
    await el.addFiles([createFile('a.pdf', 300_000)]);
    form.reset();
    expect(el.uploads).to.deep.equal([]);
    expect(el.validity.valid).to.equal(true);
  });

  it('with a manual uploader asks to upload first', async () => {
    const { el } = await createForm({ manual: true });
    await el.addFiles([createFile('a.pdf')]);
    expect(el.validationMessage).to.equal('Upload your files first.');
  });

  it('does not validate a read-only element', async () => {
    const { el, form } = await createForm({ required: true });
    expect(form.checkValidity()).to.equal(false);
    el.readOnly = true;
    expect(el.checkValidity()).to.equal(true);
  });
});

describe('validity', () => {
  afterEach(removeAll);

  it('does not depend on files that were refused when they were chosen', async () => {
    const { form, el, submits } = await createForm({ 'max-size': 400_000, 'max-files': 1 });
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('large.pdf', 500_000), createFile('a.pdf', 300_000), createFile('b.pdf', 300_000)]);
    expect(el.uploads.map(({ state }) => state.status === 'rejected')).to.deep.equal([true, false, true]);
    await complete;
    expect(el.validity.valid).to.equal(true);
    form.requestSubmit();
    expect(submits).to.have.lengthOf(1);
  });

  it('is valueMissing if the only file was refused', async () => {
    const { el } = await createForm({ 'max-size': 5, required: true });
    await el.addFiles([createFile('a.pdf', 10)]);
    expect([el.validity.valueMissing, el.validity.badInput]).to.deep.equal([true, false]);
  });

  it('points its message at the button', async () => {
    const { el } = await createForm({ required: true });
    el.reportValidity();
    expect(el.shadowRoot!.activeElement).to.equal(find(el, '[part~="file-selector-button"]'));
  });
});

describe('a native input inside', () => {
  afterEach(removeAll);

  it('is adopted with its attributes, labels and chosen files', async () => {
    const host = document.createElement('div');
    host.innerHTML = `<form><label for="cv">CV</label>
      <svc-uploader endpoint="${location.origin}/storage/store" token="svcup_t">
        <input type="file" id="cv" name="cv" accept=".pdf" multiple required>
      </svc-uploader></form>`;
    const input = host.querySelector('input')!;
    const transfer = new DataTransfer();
    transfer.items.add(createFile('early.pdf'));
    input.files = transfer.files;
    document.body.append(host);
    const el = host.querySelector('svc-uploader')!;
    const complete = once(el, 'svc-complete');
    await el.updateComplete;
    expect([el.name, el.accept, el.multiple, el.required, el.id]).to.deep.equal(['cv', '.pdf', true, true, 'cv']);
    expect(host.querySelector('label')!.control).to.equal(el);
    await complete;
    expect(readFormEntries(host.querySelector('form')!, 'cv'), 'and nothing of the input itself').to.deep.equal([
      'docs/early.pdf',
    ]);
  });

  itOnce('is not sent without a file that failed in another element', async () => {
    const { form, el: held, submits } = await createForm({ 'submit-waits': true });
    form.noValidate = true;
    const other = await createUploader({ name: 'other', multiple: true }, { storage: 'store', parent: form });
    other.transport = { send: () => Promise.reject(new BlobError('FILE_EXISTS', 'no')) };
    const settled = once(held, 'svc-complete');
    await Promise.all([held.addFiles([createFile('a.pdf', 300_000)]), other.addFiles([createFile('b.pdf')])]);
    form.requestSubmit();
    await settled;
    await waitForPaint(held);
    expect(submits).to.deep.equal([]);
    expect(other.matches(':state(user-invalid)'), 'reported').to.equal(true);
    other.clear();
    form.requestSubmit();
    expect(submits).to.have.length(1);
  });

  it('closes its dialog by a button without validation', async () => {
    const dialog = document.body.appendChild(document.createElement('dialog'));
    const form = dialog.appendChild(document.createElement('form'));
    form.method = 'dialog';
    const el = await createUploader({ name: 'doc', required: true }, { storage: 'slow', parent: form });
    const cancel = form.appendChild(document.createElement('button'));
    cancel.formNoValidate = true;
    cancel.value = 'cancel';
    dialog.showModal();
    await el.addFiles([createFile('a.pdf', 300_000)]);
    cancel.click();
    expect([dialog.open, dialog.returnValue]).to.deep.equal([false, 'cancel']);
    dialog.remove();
  });

  itOnce('is sent once if the page submits it too at the last file', async () => {
    const { form, el, submits } = await createForm({ 'submit-waits': true });
    el.addEventListener('svc-complete', () => form.requestSubmit());
    await el.addFiles([createFile('a.pdf', 300_000)]);
    form.requestSubmit();
    await once(el, 'svc-complete');
    await waitForPaint(el);
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
  });
});

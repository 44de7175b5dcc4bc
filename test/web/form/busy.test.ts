// Every browser: engines report validity of form-associated elements differently.
// Long because every way in which an element becomes and stops being busy is one table of cases.
import { expect } from 'chai';
import { BlobError } from '../../../src/protocol/errors.js';
import type { FileRecord } from '../../../src/protocol/types.js';
import { file, inside, once, painted, removeAll, sent, texts, uploader } from '../element/fixture.js';
import type { Attributes } from '../element/fixture.js';

async function form(attributes: Attributes = {}, storage = 'slow') {
  const form = document.body.appendChild(document.createElement('form'));
  const submits: { value: FormDataEntryValue[]; submitter: string | undefined }[] = [];
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submits.push({ value: sent(form, 'doc'), submitter: event.submitter?.id });
  });
  const el = await uploader({ name: 'doc', multiple: true, ...attributes }, { storage, parent: form });
  return { form, el, submits };
}

describe('a form while files are on their way', () => {
  afterEach(removeAll);

  it('is stopped with a message, and goes through afterwards', async () => {
    const { form: it, el, submits } = await form();
    const complete = once(el, 'svc-complete');
    await el.addFiles([file('a.pdf', 300_000)]);
    it.requestSubmit();
    expect(submits).to.deep.equal([]);
    expect(el.validity.customError).to.equal(true);
    expect(el.validationMessage).to.equal('Your files are still uploading. Wait a moment, then send the form again.');
    await complete;
    it.requestSubmit();
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
  });

  it('counts a change of submit-waits and of readonly in the next line', async () => {
    const { form: it, el, submits } = await form();
    const isBlocked = () => !it.checkValidity();
    await el.addFiles([file('a.pdf', 300_000)]);
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
    it.requestSubmit();
    expect(submits, 'before the file is uploaded').to.deep.equal([]);
    await once(it, 'submit');
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
  });

  it('waits with submit-waits, says so, and is sent by the same button', async () => {
    const { form: it, el, submits } = await form({ 'submit-waits': true });
    const button = it.appendChild(document.createElement('button'));
    button.id = 'save';
    await el.addFiles([file('a.pdf', 300_000)]);
    button.click();
    await painted(el);
    expect(submits).to.deep.equal([]);
    expect(texts(el, 'note')).to.deep.equal(['Your form will be sent when the files are uploaded.']);
    await once(it, 'submit');
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: 'save' }]);
    await painted(el);
    expect(texts(el, 'note')).to.deep.equal([]);
  });

  for (const [title, act] of [
    ['is removed', (button: HTMLElement) => button.remove()],
    [
      'belongs to another form',
      (button: HTMLElement) => document.body.appendChild(document.createElement('form')).append(button),
    ],
    ['sends no more', (button: HTMLElement) => button.setAttribute('type', 'button')],
  ] as const)
    it(`is sent without its button where that ${title}`, async () => {
      const { form: it, el, submits } = await form({ 'submit-waits': true });
      const button = it.appendChild(document.createElement('button'));
      button.id = 'save';
      await el.addFiles([file('a.pdf', 300_000)]);
      button.click();
      act(button);
      await once(it, 'submit');
      expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
    });

  it('does not go without an element that left it, required or not, until it is sent again', async () => {
    for (const act of [(el: Element) => el.remove(), (el: Element) => document.body.append(el)]) {
      const { form: it, el, submits } = await form({ 'submit-waits': true });
      await el.addFiles([file('a.pdf', 300_000)]);
      it.requestSubmit();
      act(el);
      const complete = once(el, 'svc-complete');
      document.body.append(el);
      await complete;
      await painted(el);
      expect(submits).to.deep.equal([]);
      expect(texts(el, 'note')).to.deep.equal([]);
      it.requestSubmit();
      expect(submits).to.deep.equal([{ value: [], submitter: undefined }]);
    }
  });

  it('waits for an element that is moved within it', async () => {
    const { form: it, el, submits } = await form({ 'submit-waits': true });
    await el.addFiles([file('a.pdf', 300_000)]);
    it.requestSubmit();
    it.prepend(el);
    await once(it, 'submit');
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
  });

  it('is not sent without an element that another form has by then', async () => {
    const { form: it, el, submits } = await form({ 'submit-waits': true });
    const other = document.body.appendChild(document.createElement('form'));
    await el.addFiles([file('a.pdf', 300_000)]);
    it.requestSubmit();
    const complete = once(el, 'svc-complete');
    other.append(el);
    await complete;
    await painted(el);
    expect(submits).to.deep.equal([]);
    expect(texts(el, 'note')).to.deep.equal([]);
    expect(new FormData(other).getAll('doc')).to.deep.equal(['docs/a.pdf']);
  });

  it('waits from the moment of the choice, also where a file is required', async () => {
    const { form: it, el, submits } = await form({ 'submit-waits': true, required: true });
    expect(it.checkValidity()).to.equal(false);
    void el.addFiles([file('a.pdf', 300_000)]);
    it.requestSubmit();
    expect(it.checkValidity(), 'in the next line').to.equal(true);
    await once(it, 'submit');
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
  });

  it('is busy while a large choice is still being checked, and is sent with all of its files', async () => {
    const { form: it, el, submits } = await form({ 'submit-waits': true, required: true });
    el.transport = {
      send: async ({ file: { name } }) => ({ id: name, path: name, name, size: 1 }) as FileRecord,
    };
    // The first hundred are left out, and take so long that the others come in a later task.
    let heard = 0;
    el.addEventListener('svc-file-add', (event) => {
      heard += 1;
      if (heard > 100) return;
      event.preventDefault();
      for (const end = performance.now() + 0.2; performance.now() < end;);
    });
    const added = el.addFiles(Array.from({ length: 150 }, (_, at) => file(`${at}.pdf`, 1)));
    expect([heard, el.uploads.length]).to.deep.equal([100, 0]);
    it.requestSubmit();
    expect(submits).to.deep.equal([]);
    await once(it, 'submit');
    await added;
    expect(submits.map(({ value }) => value.length)).to.deep.equal([50]);
  });

  it('is not busy any more where the choice that is being checked is taken back', async () => {
    const { form: it, el } = await form();
    for (const act of [() => el.clear(), () => it.reset(), () => el.cancel()]) {
      el.addEventListener('svc-file-add', (event) => {
        event.preventDefault();
        for (const end = performance.now() + 0.2; performance.now() < end;);
      });
      void el.addFiles(Array.from({ length: 150 }, (_, at) => file(`${at}.pdf`, 1)));
      expect(el.validity.customError).to.equal(true);
      act();
      expect(el.validity.customError).to.equal(false);
    }
  });

  it('waits no longer when the content was refused', async () => {
    const { form: it, el, submits } = await form({ 'submit-waits': true, sniff: true });
    void el.addFiles([file('a.pdf')]);
    it.requestSubmit();
    await once(el, 'invalid');
    expect(submits).to.deep.equal([]);
    await painted(el);
    expect(texts(el, 'note')).to.deep.equal(['Some of your files were not uploaded. Try again or remove them.']);
  });

  it('does not send what failed while it waited', async () => {
    const { form: it, el, submits } = await form({ 'submit-waits': true }, 'refuse/FILE_EXISTS/409');
    await el.addFiles([file('a.pdf', 300_000)]);
    const invalid = once(el, 'invalid');
    it.requestSubmit();
    await invalid;
    expect(submits).to.deep.equal([]);
    expect(el.validity.badInput).to.equal(true);
  });

  for (const [title, unvalidated] of [
    ['a form that is not validated', (it: HTMLFormElement) => (it.noValidate = true)],
    ['a button that asks for no validation', (_: HTMLFormElement, button: HTMLButtonElement) => (button.formNoValidate = true)],
  ] as const) {
    it(`waits for the files, and says so, with ${title}`, async () => {
      const { form: it, el, submits } = await form();
      const button = it.appendChild(document.createElement('button'));
      button.id = 'save';
      unvalidated(it, button);
      await el.addFiles([file('a.pdf', 300_000)]);
      button.click();
      await painted(el);
      expect(submits).to.deep.equal([]);
      expect(texts(el, 'note')).to.deep.equal(['Your form will be sent when the files are uploaded.']);
      await once(it, 'submit');
      expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: 'save' }]);
    });

    it(`is not sent without what failed meanwhile, and says so, with ${title}`, async () => {
      const { form: it, el, submits } = await form({}, 'refuse/FILE_EXISTS/409');
      const button = it.appendChild(document.createElement('button'));
      unvalidated(it, button);
      await el.addFiles([file('a.pdf', 300_000)]);
      const invalid = once(el, 'invalid');
      button.click();
      await invalid;
      await painted(el);
      expect(submits).to.deep.equal([]);
      expect(texts(el, 'note').join()).to.not.include('will be sent');
      button.click();
      expect(submits, 'sent again it is the page that decides').to.have.lengthOf(1);
    });
  }

  it('aborts what is on its way when it is reset', async () => {
    const { form: it, el } = await form({}, 'hang');
    await el.addFiles([file('a.pdf', 300_000)]);
    it.reset();
    expect(el.uploads).to.deep.equal([]);
    expect(el.validity.valid).to.equal(true);
  });

  it('of a manual uploader asks to upload first', async () => {
    const { el } = await form({ manual: true });
    await el.addFiles([file('a.pdf')]);
    expect(el.validationMessage).to.equal('Upload your files first.');
  });

  it('is not validated while read-only', async () => {
    const { el, form: it } = await form({ required: true });
    expect(it.checkValidity()).to.equal(false);
    el.readOnly = true;
    expect(el.checkValidity()).to.equal(true);
  });
});

describe('validity', () => {
  afterEach(removeAll);

  it('is badInput while refused files stand in the list', async () => {
    const { el } = await form({ 'max-size': 5 });
    await el.addFiles([file('a.pdf', 10)]);
    expect(el.validity.badInput).to.equal(true);
    el.cancel(el.uploads[0]!.id);
    expect(el.validity.valid).to.equal(true);
  });

  it('is rangeOverflow when there were too many', async () => {
    const { el } = await form({ 'max-files': 1 }, 'hang');
    await el.addFiles([file('a.pdf'), file('b.pdf')]);
    expect(el.validity.rangeOverflow).to.equal(true);
    expect(el.validity.badInput).to.equal(false);
  });

  it('points its message at the button', async () => {
    const { el } = await form({ required: true });
    el.reportValidity();
    expect(el.shadowRoot!.activeElement).to.equal(inside(el, '[part~="file-selector-button"]'));
  });
});

describe('a native input inside', () => {
  afterEach(removeAll);

  it('is adopted: attributes, labels and files already chosen', async () => {
    const host = document.createElement('div');
    host.innerHTML = `<form><label for="cv">CV</label>
      <svc-uploader endpoint="${location.origin}/storage/store" token="svcup_t">
        <input type="file" id="cv" name="cv" accept=".pdf" multiple required>
      </svc-uploader></form>`;
    const input = host.querySelector('input')!;
    const transfer = new DataTransfer();
    transfer.items.add(file('early.pdf'));
    input.files = transfer.files;
    document.body.append(host);
    const el = host.querySelector('svc-uploader')!;
    const complete = once(el, 'svc-complete');
    await el.updateComplete;
    expect([el.name, el.accept, el.multiple, el.required, el.id]).to.deep.equal(['cv', '.pdf', true, true, 'cv']);
    expect(host.querySelector('label')!.control).to.equal(el);
    await complete;
    expect(sent(host.querySelector('form')!, 'cv'), 'and nothing of the input itself').to.deep.equal(['docs/early.pdf']);
  });

  it('does not go without what failed in another element meanwhile', async () => {
    const { form: it, el: held, submits } = await form({ 'submit-waits': true });
    it.noValidate = true;
    const other = await uploader({ name: 'other', multiple: true }, { storage: 'store', parent: it });
    other.transport = { send: () => Promise.reject(new BlobError('FILE_EXISTS', 'no')) };
    const settled = once(held, 'svc-complete');
    await Promise.all([held.addFiles([file('a.pdf', 300_000)]), other.addFiles([file('b.pdf')])]);
    it.requestSubmit();
    await settled;
    await painted(held);
    expect(submits).to.deep.equal([]);
    expect(other.matches(':state(user-invalid)'), 'told').to.equal(true);
    other.clear();
    it.requestSubmit();
    expect(submits).to.have.length(1);
  });

  it('closes its dialog by a button that asks for no validation', async () => {
    const dialog = document.body.appendChild(document.createElement('dialog'));
    const it = dialog.appendChild(document.createElement('form'));
    it.method = 'dialog';
    const el = await uploader({ name: 'doc', required: true }, { storage: 'slow', parent: it });
    const cancel = it.appendChild(document.createElement('button'));
    cancel.formNoValidate = true;
    cancel.value = 'cancel';
    dialog.showModal();
    await el.addFiles([file('a.pdf', 300_000)]);
    cancel.click();
    expect([dialog.open, dialog.returnValue]).to.deep.equal([false, 'cancel']);
    dialog.remove();
  });

  it('is sent once where the page sends it as well at the last file', async () => {
    const { form: it, el, submits } = await form({ 'submit-waits': true });
    el.addEventListener('svc-complete', () => it.requestSubmit());
    await el.addFiles([file('a.pdf', 300_000)]);
    it.requestSubmit();
    await once(el, 'svc-complete');
    await painted(el);
    expect(submits).to.deep.equal([{ value: ['docs/a.pdf'], submitter: undefined }]);
  });
});

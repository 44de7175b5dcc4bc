// Every browser: engines order submit events and implicit submission differently.
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { BlobError } from '../../../src/protocol/errors.js';
import { createFile, once, waitForPaint, removeAll, readFormEntries, readTexts, createUploader } from '../element/fixture.js';
import { CANCELED, PENDING, createForm, waitUntilSettled } from './submit-form.js';
import { itOnce } from '../once.js';

describe('a submit that waits for files', () => {
  afterEach(removeAll);

  it('keeps its files if a guard against double clicks disables the fieldset a moment later', async () => {
    const { el, fieldset, save, submits } = await createForm({ required: true });
    save.addEventListener('click', () => queueMicrotask(() => (fieldset.disabled = true)));
    await el.addFiles([createFile('a.pdf', 300_000)]);
    save.click();
    await waitUntilSettled(el);
    expect([submits, readTexts(el, 'note')]).to.deep.equal([[], [CANCELED]]);
  });

  itOnce('is canceled when another uploader of the form, whose files are in flight too, is disabled or removed', async () => {
    for (const change of [(other: SvcUploader) => (other.disabled = true), (other: SvcUploader) => other.remove()]) {
      const { form, el, save, submits } = await createForm();
      const other = await createUploader({ name: 'doc', 'submit-waits': true }, { storage: 'hang', parent: form });
      await Promise.all([el.addFiles([createFile('a.pdf', 300_000)]), other.addFiles([createFile('b.pdf', 300_000)])]);
      save.click();
      change(other);
      await waitUntilSettled(el);
      expect([submits, readTexts(el, 'note')]).to.deep.equal([[], [CANCELED]]);
      other.clear();
    }
  });

  itOnce('continues when another uploader of the form without running uploads is disabled', async () => {
    const { form, el, save, submits } = await createForm();
    const other = await createUploader({ name: 'doc' }, { parent: form });
    await el.addFiles([createFile('a.pdf', 300_000)]);
    save.click();
    other.disabled = true;
    await waitUntilSettled(el);
    expect(submits).to.deep.equal([{ files: ['docs/a.pdf'], action: 'save', submitter: 'save' }]);
  });

  itOnce('is canceled when its form leaves the page, and not sent when it comes back', async () => {
    const { form, el, save, submits } = await createForm();
    await el.addFiles([createFile('a.pdf', 300_000)]);
    save.click();
    form.remove();
    await new Promise((resolve) => setTimeout(resolve));
    document.body.append(form);
    await waitUntilSettled(el);
    expect([submits, readTexts(el, 'note')]).to.deep.equal([[], [CANCELED]]);
  });

  itOnce('continues when its form is moved', async () => {
    const { form, el, save, submits } = await createForm();
    await el.addFiles([createFile('a.pdf', 300_000)]);
    save.click();
    document.body.appendChild(document.createElement('div')).append(form);
    await once(form, 'submit');
    expect(submits).to.have.length(1);
    expect(el.value).to.equal('docs/a.pdf');
  });

  itOnce('is dropped if the form attribute names another form', async () => {
    const { el, save, submits } = await createForm();
    const other = document.body.appendChild(document.createElement('form'));
    other.id = 'other';
    await el.addFiles([createFile('a.pdf', 300_000)]);
    save.click();
    el.setAttribute('form', 'other');
    await waitUntilSettled(el);
    expect(submits).to.deep.equal([]);
    expect(readFormEntries(other, 'doc')).to.deep.equal(['docs/a.pdf']);
  });

  it('contains the name and value of a button that is disabled meanwhile', async () => {
    const { form, el, save, submits } = await createForm();
    save.addEventListener('click', () => queueMicrotask(() => (save.disabled = true)));
    const data = new Promise<FormData>((resolve) => form.addEventListener('formdata', (event) => resolve(event.formData)));
    await el.addFiles([createFile('a.pdf', 300_000)]);
    save.click();
    await once(form, 'submit');
    expect(submits[0]!.submitter).to.equal('save');
    expect((await data).getAll('action')).to.deep.equal(['save']);
  });

  it('is canceled when a button is removed that changes what is sent', async () => {
    for (const remove of [
      (button: HTMLButtonElement) => button.remove(),
      (button: HTMLButtonElement) => button.setAttribute('type', 'button'),
      (button: HTMLButtonElement) => {
        button.removeAttribute('name');
        button.setAttribute('formaction', '/other');
        button.remove();
      },
    ]) {
      const { el, save, submits } = await createForm();
      await el.addFiles([createFile('a.pdf', 300_000)]);
      save.click();
      remove(save);
      await waitUntilSettled(el);
      expect([submits, readTexts(el, 'note')]).to.deep.equal([[], [CANCELED]]);
    }
  });

  itOnce('is sent once, by the button that was pressed last', async () => {
    const { form, el, save, publish, submits } = await createForm();
    await el.addFiles([createFile('a.pdf', 300_000)]);
    save.click();
    publish.click();
    await once(form, 'submit');
    await waitForPaint(el);
    expect(submits).to.deep.equal([{ files: ['docs/a.pdf'], action: 'publish', submitter: 'publish' }]);
  });

  itOnce('is sent once, by the last button, if two uploaders wait in turn', async () => {
    const { form, el, save, publish, submits } = await createForm();
    const first = document.createElement('svc-uploader');
    const attributes = { endpoint: `${location.origin}/storage/slow`, token: 'svcup_t', name: 'doc', 'submit-waits': '' };
    for (const [name, value] of Object.entries(attributes)) first.setAttribute(name, value);
    form.prepend(first);
    await el.addFiles([createFile('a.pdf', 300_000)]);
    save.click();
    await first.addFiles([createFile('b.pdf', 300_000)]);
    publish.click();
    await once(form, 'submit');
    await waitUntilSettled(first);
    await waitUntilSettled(el);
    expect(submits).to.deep.equal([{ files: ['docs/b.pdf', 'docs/a.pdf'], action: 'publish', submitter: 'publish' }]);
  });

  it('is dropped by a Cancel that closes the dialog', async () => {
    const { form, el, save, submits } = await createForm();
    const dialog = document.body.appendChild(document.createElement('dialog'));
    dialog.append(form);
    dialog.showModal();
    const cancel = form.appendChild(document.createElement('button'));
    cancel.formNoValidate = true;
    cancel.setAttribute('formmethod', 'dialog');
    await el.addFiles([createFile('a.pdf', 300_000)]);
    save.click();
    cancel.click();
    submits.length = 0;
    await waitUntilSettled(el);
    expect(submits).to.deep.equal([]);
  });

  itOnce('is not sent without a file that failed in a read-only uploader', async () => {
    const { el, save, submits } = await createForm();
    let refuse!: (error: BlobError) => void;
    const refused = new Promise<never>((_, reject) => (refuse = reject));
    el.transport = { send: () => refused };
    await el.addFiles([createFile('a.pdf', 300_000)]);
    el.readOnly = true;
    save.click();
    await waitForPaint(el);
    expect(readTexts(el, 'note')).to.deep.equal([PENDING]);
    const complete = once(el, 'svc-complete');
    refuse(new BlobError('FILE_EXISTS', 'no'));
    await complete;
    await waitForPaint(el);
    expect([submits, readTexts(el, 'note')]).to.deep.equal([[], [CANCELED]]);
  });

  itOnce('removes its message at a new choice and at a reset', async () => {
    for (const act of [(el: SvcUploader) => el.addFiles([createFile('b.pdf')]), (el: SvcUploader) => el.form!.reset()]) {
      const { el, save } = await createForm();
      await el.addFiles([createFile('a.pdf', 300_000)]);
      save.click();
      el.readOnly = true;
      el.readOnly = false;
      await waitForPaint(el);
      expect(readTexts(el, 'note')).to.deep.equal([CANCELED]);
      await act(el);
      await waitForPaint(el);
      expect(readTexts(el, 'note')).to.deep.equal([]);
    }
  });

  it('works in a form with controls named like its own properties', async () => {
    for (const isDisabled of [false, true]) {
      const pending = await createForm();
      const { form, el, save, submits } = pending;
      for (const name of ['elements', 'method', 'id']) form.append(Object.assign(document.createElement('input'), { name }));
      await el.addFiles([createFile('a.pdf', 300_000)]);
      save.click();
      el.disabled = isDisabled;
      await waitUntilSettled(el);
      expect(submits.map(({ files }) => files)).to.deep.equal(isDisabled ? [] : [['docs/a.pdf']]);
      expect(readTexts(el, 'note')).to.deep.equal(isDisabled ? [CANCELED] : []);
    }
  });

  itOnce('is dropped without an error if a listener of the last event removes the element', async () => {
    const errors: unknown[] = [];
    const stopListening = new AbortController();
    addEventListener('error', ({ error }) => errors.push(error), { signal: stopListening.signal });
    const { el, save, submits } = await createForm();
    el.addEventListener('svc-complete', () => el.remove());
    await el.addFiles([createFile('a.pdf', 300_000)]);
    save.click();
    await once(el, 'svc-complete');
    await waitForPaint(el);
    stopListening.abort();
    expect([submits, errors]).to.deep.equal([[], []]);
  });
});

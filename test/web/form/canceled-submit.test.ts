// Every browser: engines report disabled and read-only elements of a form differently.
import { expect } from 'chai';
import { createFile, find, waitForPaint, removeAll, readTexts } from '../element/fixture.js';
import { CANCELED, PENDING, createForm, waitUntilSettled } from './submit-form.js';
import { itOnce } from '../once.js';

describe('a submit that waits for files', () => {
  afterEach(removeAll);

  type SubmitForm = Awaited<ReturnType<typeof createForm>>;
  const changes: [title: string, change: (form: SubmitForm) => void, undo: (form: SubmitForm) => void][] = [
    ['its fieldset is disabled', ({ fieldset }) => (fieldset.disabled = true), ({ fieldset }) => (fieldset.disabled = false)],
    ['the element is disabled', ({ el }) => (el.disabled = true), ({ el }) => (el.disabled = false)],
    ['the element gets the attribute', ({ el }) => el.setAttribute('disabled', ''), ({ el }) => el.removeAttribute('disabled')],
    [
      'the element is moved into a disabled fieldset',
      ({ form, el }) => {
        const other = form.appendChild(document.createElement('fieldset'));
        other.disabled = true;
        other.append(el);
      },
      ({ fieldset, el }) => fieldset.append(el),
    ],
    ['the element becomes read-only', ({ el }) => (el.readOnly = true), ({ el }) => (el.readOnly = false)],
    ['the element gets readonly', ({ el }) => el.setAttribute('readonly', ''), ({ el }) => el.removeAttribute('readonly')],
  ];

  for (const [title, change, undo] of changes) {
    it(`is canceled with a message once ${title}, and can be sent again`, async () => {
      const pending = await createForm({ required: true });
      const { el, save, submits } = pending;
      await el.addFiles([createFile('a.pdf', 300_000)]);
      save.click();
      await waitForPaint(el);
      expect(readTexts(el, 'note')).to.deep.equal([PENDING]);
      change(pending);
      await waitForPaint(el);
      expect(find(el, '[role=status]').textContent, 'announced').to.include(CANCELED);
      await waitUntilSettled(el);
      expect(submits).to.deep.equal([]);
      expect(readTexts(el, 'note')).to.deep.equal([CANCELED]);
      undo(pending);
      save.click();
      expect(submits).to.deep.equal([{ files: ['docs/a.pdf'], action: 'save', submitter: 'save' }]);
      await waitForPaint(el);
      expect(readTexts(el, 'note')).to.deep.equal([]);
    });

    it(`stays canceled if that is undone at once: ${title}`, async () => {
      const pending = await createForm();
      const { el, save, submits } = pending;
      await el.addFiles([createFile('a.pdf', 300_000)]);
      save.click();
      change(pending);
      undo(pending);
      await waitUntilSettled(el);
      expect([submits, readTexts(el, 'note')]).to.deep.equal([[], [CANCELED]]);
    });

    itOnce(`is canceled if a listener of the last file does that: ${title}`, async () => {
      const pending = await createForm();
      const { el, save, submits } = pending;
      el.addEventListener('svc-upload-success', () => change(pending), { once: true });
      await el.addFiles([createFile('a.pdf', 300_000)]);
      save.click();
      await waitUntilSettled(el);
      expect([submits, readTexts(el, 'note')]).to.deep.equal([[], [CANCELED]]);
    });
  }
});

import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, find, once, waitForPaint, removeAll, readTexts, until, createUploader } from './fixture.js';

/** Joins the texts of `aria-describedby` of the button. */
const readDescription = (el: SvcUploader): string =>
  find(el, '.pick')
    .getAttribute('aria-describedby')!
    .split(' ')
    .flatMap((id) => el.shadowRoot!.getElementById(id)?.textContent!.trim() || [])
    .join(' ');

describe('the error of the element', () => {
  afterEach(removeAll);

  it('is shown below it and described by its button after a submit, until it is fixed', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await createUploader({ hint: 'PDF or PNG', multiple: true, name: 'doc', required: true }, { parent });
    expect([readTexts(el, 'note'), el.checkValidity()]).to.deep.equal([[], false]);
    await waitForPaint(el);
    expect(readTexts(el, 'note'), 'page code asked').to.deep.equal([]);
    for (const end of [() => el.addFiles([createFile('a.pdf', 300_000)]), () => parent.reset()]) {
      parent.requestSubmit();
      await waitForPaint(el);
      expect(readTexts(el, 'note')).to.deep.equal(['Choose a file.']);
      expect(find(el, '[part=note] svg').checkVisibility(), 'a sign').to.equal(true);
      expect(readDescription(el)).to.equal('PDF or PNG Choose a file.');
      await end();
      await until(() => readTexts(el, 'note').length === 0);
      expect(readTexts(el, 'note')).to.deep.equal([]);
      expect(readDescription(el)).to.equal('PDF or PNG');
      el.clear();
    }
  });

  it("is left to a page that cancels the browser's message", async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await createUploader({ required: true }, { parent });
    el.addEventListener('invalid', (event) => event.preventDefault());
    parent.requestSubmit();
    await waitForPaint(el);
    expect(el.matches(':state(user-invalid)')).to.equal(true);
    expect(readTexts(el, 'note')).to.deep.equal([]);
  });

  it('is not shown twice while the browser shows it at the button', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await createUploader({ required: true, name: 'doc' }, { parent });
    const isNoteVisible = () => find(el, '[part=note]').checkVisibility({ visibilityProperty: true });
    const isButtonFocused = () => find(el, '.pick').matches(':focus');
    parent.requestSubmit();
    await waitForPaint(el);
    await waitForPaint(el);
    expect([isButtonFocused(), isNoteVisible()]).to.deep.equal([true, false]);
    const { height } = el.getBoundingClientRect();
    // The browser hides its message when the focus leaves the button.
    find(el, '.pick').blur();
    await waitForPaint(el);
    expect([isNoteVisible(), el.getBoundingClientRect().height]).to.deep.equal([true, height]);
    find(el, '.pick').focus();
    await waitForPaint(el);
    expect(isNoteVisible(), 'the browser shows no message now').to.equal(true);
  });

  it('is shown at once if the browser shows its message at another control', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const first = parent.appendChild(document.createElement('input'));
    first.required = true;
    const el = await createUploader({ required: true, name: 'doc' }, { parent });
    parent.requestSubmit();
    await waitForPaint(el);
    await waitForPaint(el);
    expect(find(el, '[part=note]').checkVisibility({ visibilityProperty: true })).to.equal(true);
  });

  it('is not shown for busy files, unless the form was submitted', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await createUploader({ required: true, name: 'doc' }, { storage: 'slow', parent });
    parent.requestSubmit();
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.pdf', 300_000)]);
    await waitForPaint(el);
    expect([readTexts(el, 'note'), el.matches(':state(user-invalid)')]).to.deep.equal([[], false]);
    parent.requestSubmit();
    await waitForPaint(el);
    expect(readTexts(el, 'note').join()).to.match(/still uploading/);
    await complete;
    await waitForPaint(el);
    expect(readTexts(el, 'note')).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { file, inside, once, painted, removeAll, texts, until, uploader } from './fixture.js';

/** Joins the texts of `aria-describedby` of the button. */
const describedBy = (el: SvcUploader): string =>
  inside(el, '.pick')
    .getAttribute('aria-describedby')!
    .split(' ')
    .flatMap((id) => el.shadowRoot!.getElementById(id)?.textContent!.trim() || [])
    .join(' ');

describe('the error of the element', () => {
  afterEach(removeAll);

  it('is shown below it and described by its button after a submit, until it is fixed', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await uploader({ hint: 'PDF or PNG', multiple: true, name: 'doc', required: true }, { parent });
    expect([texts(el, 'note'), el.checkValidity()]).to.deep.equal([[], false]);
    await painted(el);
    expect(texts(el, 'note'), 'page code asked').to.deep.equal([]);
    for (const end of [() => el.addFiles([file('a.pdf', 300_000)]), () => parent.reset()]) {
      parent.requestSubmit();
      await painted(el);
      expect(texts(el, 'note')).to.deep.equal(['Choose a file.']);
      expect(inside(el, '[part=note] svg').checkVisibility(), 'a sign').to.equal(true);
      expect(describedBy(el)).to.equal('PDF or PNG Choose a file.');
      await end();
      await until(() => texts(el, 'note').length === 0);
      expect(texts(el, 'note')).to.deep.equal([]);
      expect(describedBy(el)).to.equal('PDF or PNG');
      el.clear();
    }
  });

  it("is left to a page that cancels the browser's message", async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await uploader({ required: true }, { parent });
    el.addEventListener('invalid', (event) => event.preventDefault());
    parent.requestSubmit();
    await painted(el);
    expect(el.matches(':state(user-invalid)')).to.equal(true);
    expect(texts(el, 'note')).to.deep.equal([]);
  });

  it('is not shown for busy files, unless the form was submitted', async () => {
    const parent = document.body.appendChild(document.createElement('form'));
    const el = await uploader({ required: true, name: 'doc' }, { storage: 'slow', parent });
    parent.requestSubmit();
    const complete = once(el, 'svc-complete');
    await el.addFiles([file('a.pdf', 300_000)]);
    await painted(el);
    expect([texts(el, 'note'), el.matches(':state(user-invalid)')]).to.deep.equal([[], false]);
    parent.requestSubmit();
    await painted(el);
    expect(texts(el, 'note').join()).to.match(/still uploading/);
    await complete;
    await painted(el);
    expect(texts(el, 'note')).to.deep.equal([]);
  });
});

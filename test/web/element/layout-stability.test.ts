// Every browser: engines compute layout differently.
import { expect } from 'chai';
import type { FileRecord, SvcUploader } from '../../../src/element/index.js';
import { file, inside, painted, removeAll, texts, until, uploader } from './fixture.js';
import type { Attributes } from './fixture.js';

async function wide(
  width: number,
  attributes: Attributes,
  parent: HTMLElement = document.createElement('div'),
): Promise<SvcUploader> {
  document.body.append(parent);
  parent.style.width = `${width}px`;
  return uploader({ multiple: true, name: 'doc', ...attributes }, { parent });
}

/** Sends half of every file, and completes when the returned function is called. */
function held(el: SvcUploader): () => Promise<void> {
  const ends: (() => void)[] = [];
  el.transport = {
    send: ({ id, name, size }, { progress }) => {
      progress(size / 2);
      return new Promise((resolve) => ends.push(() => resolve({ id, path: `docs/${name}`, name, size } as FileRecord)));
    },
  };
  return async () => {
    await until(() => ends.length === el.uploads.length);
    for (const end of ends) end();
    await until(() => el.matches(':state(complete)'));
    await painted(el);
  };
}

const height = (el: SvcUploader) => el.getBoundingClientRect().height;
const moving = (el: SvcUploader) => until(() => el.matches(':state(uploading)')).then(() => painted(el));

describe('content below the element', () => {
  afterEach(removeAll);

  for (const width of [280, 720])
    for (const [what, sizes] of [
      ['one that takes its time', [20_000_000]],
      ['several', [300_000, 300_000]],
    ] as const)
      it(`keeps its position when ${what} completes: ${width}`, async () => {
        const el = await wide(width, {});
        const end = held(el);
        await el.addFiles(sizes.map((size, at) => file(`${at}.bin`, size)));
        await moving(el);
        const before = height(el);
        expect(texts(el, 'summary')).to.have.lengthOf(1);
        await end();
        expect(height(el)).to.equal(before);
      });

  for (const [width, appearance] of [
    [280, 'dropzone'],
    [280, 'inline'],
    [720, 'inline'],
    [720, 'button'],
  ] as const)
    it(`is not moved by limits of a token, which are shown once the list is empty: ${appearance}, ${width}`, async () => {
      const el = await wide(width, { appearance, token: false });
      el.tokenProvider = async () => ({ token: 'svcup_A', max_size: 10_000_000 });
      await el.addFiles([file('a.bin', 300_000), file('b.bin', 300_000)]);
      await painted(el);
      const top = () => inside(el, '.list').getBoundingClientRect().top;
      const before = top();
      const isSaid = () => inside(el, '[part=hint]').checkVisibility();
      await until(() => el.matches(':state(complete)'));
      await painted(el);
      expect(top()).to.equal(before);
      expect(isSaid()).to.equal(false);
      el.clear();
      await painted(el);
      expect([isSaid(), texts(el, 'hint')]).to.deep.equal([true, ['Up to 10 MB']]);
      await el.addFiles([file('a.bin', 300_000)]);
      await painted(el);
      expect(isSaid(), 'and stays').to.equal(true);
    });

  for (const width of [280, 720])
    it(`keeps its position when a submit waits: ${width}`, async () => {
      const form = document.createElement('form');
      form.addEventListener('submit', (event) => event.preventDefault());
      const el = await wide(width, { 'submit-waits': true }, form);
      const end = held(el);
      await el.addFiles([file('a.bin', 300_000), file('b.bin', 300_000)]);
      await moving(el);
      const before = height(el);
      const described = () => el.shadowRoot!.getElementById('note')?.textContent!.trim();
      expect([texts(el, 'note'), described()]).to.deep.equal([[], undefined]);
      form.requestSubmit();
      await painted(el);
      expect(described()).to.equal('Your form will be sent when the files are uploaded.');
      expect(height(el)).to.equal(before);
      await end();
      expect(texts(el, 'note')).to.deep.equal([]);
      expect(height(el)).to.equal(before);
    });
});

// Every browser: engines compute layout differently.
import { expect } from 'chai';
import type { FileRecord, SvcUploader } from '../../../src/element/index.js';
import { createFile, find, waitForPaint, removeAll, readTexts, until, createUploader } from './fixture.js';
import type { Attributes } from './fixture.js';

async function createWideUploader(
  width: number,
  attributes: Attributes,
  parent: HTMLElement = document.createElement('div'),
): Promise<SvcUploader> {
  document.body.append(parent);
  parent.style.width = `${width}px`;
  return createUploader({ multiple: true, name: 'doc', ...attributes }, { parent });
}

/** Sends half of every file, and completes when the returned function is called. */
function holdUploads(el: SvcUploader): () => Promise<void> {
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
    await waitForPaint(el);
  };
}

const measureHeight = (el: SvcUploader) => el.getBoundingClientRect().height;
const waitForUpload = (el: SvcUploader) => until(() => el.matches(':state(uploading)')).then(() => waitForPaint(el));

describe('content below the element', () => {
  afterEach(removeAll);

  for (const width of [280, 720])
    for (const [what, sizes] of [
      ['one that takes its time', [20_000_000]],
      ['several', [300_000, 300_000]],
    ] as const)
      it(`keeps its position when ${what} completes: ${width}`, async () => {
        const el = await createWideUploader(width, {});
        const end = holdUploads(el);
        await el.addFiles(sizes.map((size, at) => createFile(`${at}.bin`, size)));
        await waitForUpload(el);
        const before = measureHeight(el);
        expect(readTexts(el, 'summary')).to.have.lengthOf(1);
        await end();
        expect(measureHeight(el)).to.equal(before);
      });

  for (const [width, appearance] of [
    [280, 'dropzone'],
    [280, 'inline'],
    [720, 'inline'],
    [720, 'button'],
  ] as const)
    it(`is not moved by limits of a token, which are shown once the list is empty: ${appearance}, ${width}`, async () => {
      const el = await createWideUploader(width, { appearance, token: false });
      el.tokenProvider = async () => ({ token: 'svcup_A', max_size: 10_000_000 });
      await el.addFiles([createFile('a.bin', 300_000), createFile('b.bin', 300_000)]);
      await waitForPaint(el);
      const top = () => find(el, '.list').getBoundingClientRect().top;
      const before = top();
      const isSaid = () => find(el, '[part=hint]').checkVisibility();
      await until(() => el.matches(':state(complete)'));
      await waitForPaint(el);
      expect(top()).to.equal(before);
      expect(isSaid()).to.equal(false);
      el.clear();
      await waitForPaint(el);
      expect([isSaid(), readTexts(el, 'hint')]).to.deep.equal([true, ['Up to 10 MB']]);
      await el.addFiles([createFile('a.bin', 300_000)]);
      await waitForPaint(el);
      expect(isSaid(), 'and stays').to.equal(true);
    });

  for (const width of [280, 720])
    it(`keeps its position when a submit waits: ${width}`, async () => {
      const form = document.createElement('form');
      form.addEventListener('submit', (event) => event.preventDefault());
      const el = await createWideUploader(width, { 'submit-waits': true }, form);
      const end = holdUploads(el);
      await el.addFiles([createFile('a.bin', 300_000), createFile('b.bin', 300_000)]);
      await waitForUpload(el);
      const before = measureHeight(el);
      const described = () => el.shadowRoot!.getElementById('note')?.textContent!.trim();
      expect([readTexts(el, 'note'), described()]).to.deep.equal([[], undefined]);
      form.requestSubmit();
      await waitForPaint(el);
      expect(described()).to.equal('Your form will be sent when the files are uploaded.');
      expect(measureHeight(el)).to.equal(before);
      await end();
      expect(readTexts(el, 'note')).to.deep.equal([]);
      expect(measureHeight(el)).to.equal(before);
    });
});

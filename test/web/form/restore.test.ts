// Every browser: engines restore form state at different times.
import { expect } from 'chai';
import type { FileRecord } from '../../../src/protocol/types.js';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, until } from '../element/fixture.js';
import { itOnce } from '../once.js';

const PAGE = '/test/web/form/restore.html';

/** Opens a page in a frame, which can be left and returned to. */
async function createFrame(page = PAGE): Promise<HTMLIFrameElement> {
  const frame = document.createElement('iframe');
  frame.src = page;
  document.body.append(frame);
  await waitForLoad(frame);
  return frame;
}

const waitForLoad = (frame: HTMLIFrameElement) =>
  new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));

async function findElement(frame: HTMLIFrameElement): Promise<SvcUploader> {
  const page = frame.contentWindow as Window & typeof globalThis;
  await page.customElements.whenDefined('svc-uploader');
  const el = page.document.querySelector('svc-uploader')!;
  el.endpoint = `${location.origin}/storage/store`;
  await el.updateComplete;
  return el;
}

const readEntries = (frame: HTMLIFrameElement) => new FormData(frame.contentDocument!.querySelector('form')!).getAll('doc');

async function fillForm(frame: HTMLIFrameElement): Promise<void> {
  const el = await findElement(frame);
  const complete = new Promise((resolve) => el.addEventListener('svc-complete', resolve, { once: true }));
  await el.addFiles([createFile('a.pdf', 300_000), createFile('b.pdf', 300_000)]);
  await complete;
  expect(readEntries(frame)).to.deep.equal(['docs/a.pdf', 'docs/b.pdf']);
}

/** Waits for the restored state. Browsers restore custom elements some time after they are defined. */
async function waitForRestored(frame: HTMLIFrameElement): Promise<FormDataEntryValue[]> {
  const el = await findElement(frame);
  await until(() => el.uploads.length > 0);
  return readEntries(frame);
}

async function leaveAndReturn(page: HTMLIFrameElement): Promise<void> {
  let there = waitForLoad(page);
  page.contentWindow!.location.href = '/test/web/form/restore.html?elsewhere';
  await there;
  there = waitForLoad(page);
  page.contentWindow!.history.back();
  await there;
}

describe('leaving the page', () => {
  itOnce('keeps the fields of stored files', async () => {
    const fields = '[{"name":"caption","label":"Caption"}]';
    const page = await createFrame();
    const el = await findElement(page);
    el.fields = fields;
    await el.updateComplete;
    await el.addFiles([createFile('a.pdf', 300_000)]);
    const input = () => el.shadowRoot!.querySelector<HTMLInputElement>('[part=field-input]')!;
    await until(() => input() !== null);
    input().value = 'Front page';
    input().dispatchEvent(new Event('input', { bubbles: true }));
    const stored = new Promise((resolve) => el.addEventListener('svc-complete', resolve, { once: true }));
    el.upload();
    await stored;
    await leaveAndReturn(page);
    await waitForRestored(page);
    const returned = await findElement(page);
    returned.fields = fields;
    await returned.updateComplete;
    const shown = () => returned.shadowRoot!.querySelector<HTMLInputElement>('[part=field-input]')?.value;
    await until(() => shown() !== undefined);
    expect(shown()).to.equal('Front page');
    const entry = new FormData(page.contentDocument!.querySelector('form')!).get('doc-fields');
    expect(Object.values(JSON.parse(String(entry)) as object)).to.deep.equal([{ caption: 'Front page' }]);
  });

  afterEach(() => document.body.replaceChildren());

  it('keeps stored files over a reload', async () => {
    const page = await createFrame();
    await fillForm(page);
    const again = waitForLoad(page);
    page.contentWindow!.location.reload();
    await again;
    expect(await waitForRestored(page)).to.deep.equal(['docs/a.pdf', 'docs/b.pdf']);
    expect((await findElement(page)).uploads.map(({ name, state }) => [name, state.status])).to.deep.equal([
      ['a.pdf', 'done'],
      ['b.pdf', 'done'],
    ]);
  });

  itOnce('keeps the chosen names and folder paths', async () => {
    const page = await createFrame();
    const el = await findElement(page);
    el.transport = {
      send: ({ name, size }) => Promise.resolve({ id: name, path: `docs/x-${name}`, name: `x-${name}`, size } as FileRecord),
    };
    const inFolder = Object.defineProperty(createFile('b.pdf'), 'webkitRelativePath', { value: 'folder/b.pdf' });
    const complete = new Promise((resolve) => el.addEventListener('svc-complete', resolve, { once: true }));
    await el.addFiles([createFile('a.pdf'), inFolder]);
    await complete;
    const again = waitForLoad(page);
    page.contentWindow!.location.reload();
    await again;
    expect(await waitForRestored(page)).to.deep.equal(['docs/x-a.pdf', 'docs/x-b.pdf']);
    const { uploads } = await findElement(page);
    expect(uploads.map(({ name, relativePath }) => [name, relativePath])).to.deep.equal([
      ['a.pdf', ''],
      ['b.pdf', 'folder/b.pdf'],
    ]);
    expect(uploads.map(({ state }) => state.status === 'done' && state.file)).to.deep.equal(
      ['a', 'b'].map((name) => ({ id: `${name}.pdf`, path: `docs/x-${name}.pdf`, name: `x-${name}.pdf`, size: 10 })),
    );
  });

  itOnce('keeps the files of two elements with one name, and of a form that is added after its element', async () => {
    const page = await createFrame('/test/web/form/restore-late.html');
    await findElement(page);
    const elements = () => [...page.contentDocument!.querySelectorAll('svc-uploader')];
    for (const [index, el] of elements().entries()) {
      el.endpoint = `${location.origin}/storage/store`;
      const complete = new Promise((resolve) => el.addEventListener('svc-complete', resolve, { once: true }));
      await el.addFiles([createFile(`${index}.pdf`, 300_000)]);
      await complete;
    }
    const again = waitForLoad(page);
    page.contentWindow!.location.reload();
    await again;
    await findElement(page);
    const listValues = () => elements().map(({ values }) => values.join());
    const expected = ['docs/0.pdf', 'docs/1.pdf', 'docs/2.pdf'];
    await until(() => listValues().join() === expected.join());
    expect(listValues()).to.deep.equal(expected);
    expect(readEntries(page).toSorted()).to.deep.equal(expected);
  });

  it('restores nothing at a new visit', async () => {
    const page = await createFrame();
    await fillForm(page);
    page.remove();
    const anew = await createFrame();
    await findElement(anew);
    // No event tells that a browser restores nothing. Engines that restore do so within this time.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(readEntries(anew)).to.deep.equal([]);
  });

  itOnce('restores nothing without a form', async () => {
    const page = await createFrame();
    await fillForm(page);
    const alone = () => page.contentDocument!.querySelector<SvcUploader>('#alone')!;
    alone().transport = { send: ({ name, size }) => Promise.resolve({ id: name, path: name, name, size } as FileRecord) };
    const complete = new Promise((resolve) => alone().addEventListener('svc-complete', resolve, { once: true }));
    await alone().addFiles([createFile('a.pdf')]);
    await complete;
    await leaveAndReturn(page);
    expect(await waitForRestored(page)).to.have.length(2);
    // The element of the form is restored by now, so this one would be as well.
    await page.contentWindow!.customElements.whenDefined('svc-uploader');
    expect(alone().uploads).to.deep.equal([]);
  });

  it('restores stored files after Back', async () => {
    const page = await createFrame();
    await fillForm(page);
    await leaveAndReturn(page);
    expect(page.contentWindow!.location.search).to.equal('');
    expect(await waitForRestored(page)).to.deep.equal(['docs/a.pdf', 'docs/b.pdf']);
  });
});

import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import type { UploadTokenOptions } from '../../../src/protocol/types.js';
import { FaultyService } from '../queue/faulty-service.js';
import type { Attributes } from './fixture.js';
import { createFile, createUploader, find, once, readFormEntries, readTexts, removeAll, until, waitForPaint } from './fixture.js';
import { createPicture } from './pictures.js';

describe('editing a picture whose upload began', () => {
  let service: FaultyService;
  let form: HTMLFormElement;
  beforeEach(async () => {
    sessionStorage.clear();
    localStorage.clear();
    service = await FaultyService.open();
    form = document.body.appendChild(document.createElement('form'));
  });
  afterEach(async () => {
    removeAll();
    await service.close();
  });

  async function createElement(attributes: Attributes = {}, token: UploadTokenOptions = {}): Promise<SvcUploader> {
    const all = { name: 'photo', multiple: true, editable: true, endpoint: service.url, token: false, ...attributes };
    const el = await createUploader(all, { parent: form });
    el.tokenProvider = service.provider(() => ({ max_uses: 20, allow_delete: true, ...token }));
    return el;
  }

  const picture = () => createPicture('image/png', 40, 20);
  const storedNames = async () => (await service.files()).map(({ name }) => name.replace(/-[\w-]{8,}(?=\.)/, '')).sort();
  const statuses = (el: SvcUploader) => el.uploads.map(({ name, state }) => `${name} ${state.status}`);
  const entries = () => readFormEntries(form, 'photo');

  async function upload(el: SvcUploader, files: File[]): Promise<void> {
    const complete = once(el, 'svc-complete');
    await el.addFiles(files);
    await complete;
    await waitForPaint(el);
  }

  async function rotate(el: SvcUploader): Promise<void> {
    await until(() => find(el, '[part=edit-button]') !== null);
    find(el, '[part=edit-button]').click();
    await until(() => find<HTMLButtonElement>(el, 'dialog .primary')?.disabled === false);
    find(el, 'dialog [aria-label="Rotate right"]').click();
    find(el, 'dialog .primary').click();
    await until(() => find(el, 'dialog') === null);
    expect(find(el, 'dialog')).to.equal(null);
  }

  it('replaces a stored file in its place, and leaves the old one stored', async () => {
    const el = await createElement();
    await upload(el, [createFile('a.txt', 30), await picture(), createFile('b.txt', 40)]);
    const [first, old, last] = entries();
    const success = once(el, 'svc-upload-success');
    await rotate(el);
    const { record } = (await success).detail;
    await until(() => entries()[1] === record.path);
    expect(entries()).to.deep.equal([first, record.path, last]);
    expect(record.path).to.not.equal(old);
    expect(statuses(el)).to.deep.equal(['a.txt done', 'picture.png done', 'b.txt done']);
    expect(await storedNames()).to.deep.equal(['a.txt', 'b.txt', 'picture.png', 'picture.png']);
  });

  it('deletes the old one with removal="delete", once the new one is stored', async () => {
    const el = await createElement({ removal: 'delete' });
    await upload(el, [await picture()]);
    const success = once(el, 'svc-upload-success');
    await rotate(el);
    const { record } = (await success).detail;
    for (let turn = 0; turn < 50 && (await service.files()).length !== 1; turn++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await service.files()).map(({ path }) => path)).to.deep.equal([record.path]);
    expect(entries()).to.deep.equal([record.path]);
  });

  it('keeps the old one in the form until the new one is stored, and brings it back if the new one is canceled', async () => {
    const el = await createElement({ required: true, removal: 'delete' });
    await upload(el, [createFile('a.txt', 30), await picture()]);
    const before = entries();
    await service.rule({ method: 'POST', path: '^/v1/files', fault: { delay: 3000 } });
    await rotate(el);
    await until(() => statuses(el)[1] === 'picture.png uploading');
    expect(statuses(el)).to.deep.equal(['a.txt done', 'picture.png uploading']);
    expect(entries()).to.deep.equal(before);
    await waitForPaint(el);
    find(el, '[aria-label="Cancel picture.png"]').click();
    await until(() => statuses(el)[1] === 'picture.png done');
    expect(statuses(el)).to.deep.equal(['a.txt done', 'picture.png done']);
    expect([entries(), el.checkValidity(), (await service.files()).length]).to.deep.equal([before, true, 2]);
    await waitForPaint(el);
    expect(find(el, '[part=edit-button]').getAttribute('aria-label'), 'can be edited again').to.equal('Edit picture.png');
  });

  it('brings the old one back if the new one failed and is removed', async () => {
    const el = await createElement({ multiple: false, removal: 'delete' });
    await upload(el, [await picture()]);
    const before = entries();
    await service.rule({
      method: 'POST',
      path: '^/v1/files',
      fault: { respond: { status: 409, body: { code: 'FILE_EXISTS' } } },
    });
    const failed = once(el, 'svc-upload-error');
    await rotate(el);
    await failed;
    await waitForPaint(el);
    expect([statuses(el), el.checkValidity()]).to.deep.equal([['picture.png failed'], false]);
    find(el, '[part=remove-button]').click();
    await until(() => statuses(el)[0] === 'picture.png done');
    expect([statuses(el), entries(), el.checkValidity()]).to.deep.equal([['picture.png done'], before, true]);
  });

  it('forgets both if the page clears the list or another file is chosen', async () => {
    const el = await createElement({ multiple: false, manual: true });
    const choose = async (file: File) => {
      await el.addFiles([file]);
      const complete = once(el, 'svc-complete');
      el.upload();
      await complete;
    };
    for (const act of [() => el.clear(), () => el.addFiles([createFile('a.txt', 30)])]) {
      await choose(await picture());
      await rotate(el);
      expect(statuses(el)).to.deep.equal(['picture.png queued']);
      expect(entries()).to.have.length(1);
      await act();
      await until(() => entries().length === 0);
      expect([entries(), el.uploads.every(({ name }) => name === 'a.txt')]).to.deep.equal([[], true]);
      el.clear();
    }
  });

  it('aborts an upload that is running, and a submit waits for the edited file', async () => {
    const el = await createElement({ 'submit-waits': true });
    await el.addFiles([createFile('a.txt', 30)]);
    await until(() => statuses(el)[0] === 'a.txt done');
    await service.rule({ method: 'POST', path: '^/v1/files', times: 1, fault: { delay: 3000 } });
    await el.addFiles([await picture()]);
    await until(() => statuses(el).at(-1) === 'picture.png uploading');
    const sent = new Promise<FormDataEntryValue[]>((resolve) =>
      form.addEventListener('submit', (event) => {
        if (event.defaultPrevented) return;
        event.preventDefault();
        resolve(entries());
      }),
    );
    form.requestSubmit();
    await waitForPaint(el);
    await rotate(el);
    expect(await sent).to.have.length(2);
    expect(statuses(el)).to.deep.equal(['a.txt done', 'picture.png done']);
  });

  it('keeps what a person wrote into the fields of the file', async () => {
    const el = await createElement({ fields: '[{"name":"caption","label":"Caption","required":true}]' });
    await el.addFiles([await picture()]);
    await waitForPaint(el);
    const field = () => find<HTMLInputElement>(el, '[part=field-input]');
    field().value = 'At the lake';
    field().dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    await rotate(el);
    await waitForPaint(el);
    expect(field().value).to.equal('At the lake');
    const complete = once(el, 'svc-complete');
    find(el, '[part~=summary-button]').click();
    await complete;
    expect((await service.files()).map(({ metadata }) => metadata)).to.deep.equal([{ caption: 'At the lake' }]);
    await waitForPaint(el);
    await rotate(el);
    await waitForPaint(el);
    expect([field().value, field().readOnly, readTexts(el, 'status')]).to.deep.equal(['At the lake', false, ['Waiting']]);
  });

  it('empties a field whose choice the page took back', async () => {
    const fields = (choice: string) => JSON.stringify([{ name: 'kind', label: 'Kind', options: [choice], required: true }]);
    const el = await createElement({ fields: fields('Photo') });
    await el.addFiles([await picture()]);
    await waitForPaint(el);
    const field = find<HTMLSelectElement>(el, '[part=field-input]');
    field.value = 'Photo';
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    await el.updateComplete;
    const complete = once(el, 'svc-complete');
    find(el, '[part~=summary-button]').click();
    await complete;
    el.fields = fields('Drawing');
    await waitForPaint(el);
    await rotate(el);
    await waitForPaint(el);
    expect([find<HTMLSelectElement>(el, '[part=field-input]').value, el.validity.valueMissing]).to.deep.equal(['', true]);
  });

  it('leaves the stored file to the next visit if the page is left before the new one is stored', async () => {
    const el = await createElement();
    await upload(el, [await picture()]);
    const { id } = (await service.files())[0]!;
    await service.rule({ method: 'POST', path: '^/v1/files', fault: { delay: 3000 } });
    await rotate(el);
    dispatchEvent(new PageTransitionEvent('pagehide'));
    const saved = Object.entries({ ...sessionStorage }).find(([key]) => key.startsWith('svc-uploader '))![1] as string;
    expect((JSON.parse(saved) as { id: string }[]).map((file) => file.id)).to.deep.equal([id]);
  });
});

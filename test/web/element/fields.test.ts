import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import type { UploadTokenOptions } from '../../../src/protocol/types.js';
import { createFiles, FaultyService } from '../queue/faulty-service.js';
import type { Attributes } from './fixture.js';
import { createFile, createUploader, find, findRows, once, paste, readTexts, removeAll, until, waitForPaint } from './fixture.js';

const MiB = 1024 * 1024;
const FIELDS = JSON.stringify([
  { name: 'caption', label: 'Caption', required: true, maxlength: 80 },
  { name: 'kind', label: 'Kind', options: ['Invoice', 'Contract'] },
]);

describe('the fields of each file', () => {
  let service: FaultyService;
  let form: HTMLFormElement;
  let tokenOptions: UploadTokenOptions;

  beforeEach(async () => {
    localStorage.clear();
    sessionStorage.clear();
    tokenOptions = { max_uses: 20 };
    service = await FaultyService.open();
    form = document.body.appendChild(document.createElement('form'));
  });
  afterEach(async () => {
    removeAll();
    await service.close();
  });

  async function createElement(attributes: Attributes = {}): Promise<SvcUploader> {
    const el = await createUploader(
      { name: 'docs', multiple: true, endpoint: service.url, token: false, fields: FIELDS, ...attributes },
      { parent: form },
    );
    el.tokenProvider = service.provider(() => tokenOptions);
    await el.updateComplete;
    return el;
  }

  type Control = HTMLInputElement | HTMLSelectElement;
  const fieldOf = (el: SvcUploader, row: number, name: string): Control =>
    el.shadowRoot!.querySelectorAll('[part=fields]')[row]!.querySelector<Control>(`[id$="-${name}"]`)!;

  async function fill(el: SvcUploader, row: number, name: string, value: string): Promise<void> {
    const control = fieldOf(el, row, name);
    control.value = value;
    control.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    await el.updateComplete;
  }

  async function addFiles(el: SvcUploader, files: File[]): Promise<void> {
    await el.addFiles(files);
    await waitForPaint(el);
  }

  const statuses = (el: SvcUploader) => el.uploads.map(({ state }) => state.status);
  const pressUpload = (el: SvcUploader) => find(el, '.primary').click();
  const storedMetadata = async () => (await service.files()).map(({ metadata }) => metadata);
  const readFields = () => JSON.parse(String(new FormData(form).get('docs-fields'))) as Record<string, Record<string, string>>;

  it('are sent as metadata, and are in the event and in the form by path', async () => {
    const el = await createElement();
    await addFiles(
      el,
      createFiles(1, 1000, () => 'a.bin'),
    );
    expect(readTexts(el, 'status')).to.deep.equal(['Fill in the details.']);
    await fill(el, 0, 'caption', '  Größe\tder “Welle”  ');
    await fill(el, 0, 'kind', 'Contract');
    expect(readTexts(el, 'status')).to.deep.equal(['Waiting']);
    const success = once(el, 'svc-upload-success');
    pressUpload(el);
    const { record, fields } = (await success).detail;
    const expected = { caption: 'Größe der “Welle”', kind: 'Contract' };
    expect(fields).to.deep.equal(expected);
    expect(await storedMetadata()).to.deep.equal([expected]);
    expect(new FormData(form).getAll('docs')).to.deep.equal([record.path]);
    expect(readFields()).to.deep.equal({ [record.path]: expected });
    expect(el.uploads[0]!.metadata).to.deep.equal(expected);
  });

  it('hold a file until it is filled in and the person presses Upload', async () => {
    const el = await createElement();
    await addFiles(el, createFiles(2, 1000));
    pressUpload(el);
    await until(() => el.shadowRoot!.activeElement === fieldOf(el, 0, 'caption'));
    expect(el.shadowRoot!.activeElement, 'the first empty field').to.equal(fieldOf(el, 0, 'caption'));
    expect(readTexts(el, 'field-error')).to.deep.equal(['Fill in this field.', '', 'Fill in this field.', '']);
    expect(fieldOf(el, 0, 'caption').getAttribute('aria-invalid')).to.equal('true');
    await fill(el, 1, 'caption', 'Second');
    expect(readTexts(el, 'field-error'), 'the error disappears').to.deep.equal(['Fill in this field.', '', '', '']);
    expect(statuses(el), 'nothing starts while the person writes').to.deep.equal(['queued', 'queued']);
    pressUpload(el);
    await until(() => statuses(el)[1] === 'done');
    expect(statuses(el)).to.deep.equal(['queued', 'done']);
    expect(await storedMetadata()).to.deep.equal([{ caption: 'Second' }]);
    await addFiles(
      el,
      createFiles(1, 2000, () => 'later.bin'),
    );
    await fill(el, 0, 'caption', 'First');
    await fill(el, 2, 'caption', 'Third');
    expect(statuses(el), 'a later file waits as well').to.deep.equal(['queued', 'done', 'queued']);
    const complete = once(el, 'svc-complete');
    pressUpload(el);
    await complete;
    expect((await storedMetadata()).map(({ caption }) => caption).sort()).to.deep.equal(['First', 'Second', 'Third']);
  });

  it('are sent with a resumable upload too', async () => {
    const el = await createElement();
    await addFiles(
      el,
      createFiles(1, 17 * MiB, () => 'film.mp4'),
    );
    await fill(el, 0, 'caption', 'Ein schöner Film');
    const complete = once(el, 'svc-complete');
    pressUpload(el);
    expect((await complete).detail.failed).to.deep.equal([]);
    expect(await storedMetadata()).to.deep.equal([{ caption: 'Ein schöner Film' }]);
    expect((await service.requests()).some(({ path }) => path.startsWith('/v1/uploads'))).to.equal(true);
  });

  it('may stay empty if none is required, and the token may then fix metadata', async () => {
    tokenOptions = { max_uses: 5, metadata: { source: 'site' } };
    const el = await createElement({ fields: '[{"name":"note","label":"Note"}]' });
    await addFiles(el, createFiles(2, 1000));
    expect(readTexts(el, 'field-label')).to.deep.equal(['Note (optional)', 'Note (optional)']);
    await fill(el, 1, 'note', 'Other metadata');
    const complete = once(el, 'svc-complete');
    pressUpload(el);
    const { successful, failed } = (await complete).detail;
    expect([successful.length, failed.length]).to.deep.equal([1, 1]);
    expect(await storedMetadata()).to.deep.equal([{ source: 'site' }]);
  });

  it('are read-only from the start of the upload', async () => {
    await service.rule({ method: 'POST', path: '^/v1/files', fault: { bytesPerSecond: 20_000 } });
    const el = await createElement();
    await addFiles(el, createFiles(1, 300_000));
    await fill(el, 0, 'caption', 'Text');
    await fill(el, 0, 'kind', 'Invoice');
    pressUpload(el);
    await until(() => statuses(el)[0] === 'uploading');
    await waitForPaint(el);
    const controls = ['caption', 'kind'].map((name) => fieldOf(el, 0, name) as HTMLInputElement);
    expect(controls.map(({ readOnly, value }) => [readOnly, value])).to.deep.equal([
      [true, 'Text'],
      [true, 'Invoice'],
    ]);
  });

  it('make the element invalid while a required one is empty, with a message at the field', async () => {
    const el = await createElement({ 'submit-waits': true });
    expect(el.checkValidity(), 'without files').to.equal(true);
    await addFiles(el, createFiles(1, 1000));
    expect([el.validity.valueMissing, el.validationMessage]).to.deep.equal([true, 'Fill in the details.']);
    expect(form.reportValidity()).to.equal(false);
    await waitForPaint(el);
    expect(readTexts(el, 'field-error')).to.deep.equal(['Fill in this field.', '']);
    await fill(el, 0, 'caption', ' ');
    expect(el.validity.valueMissing, 'blanks').to.equal(true);
    await fill(el, 0, 'caption', 'Text');
    expect(el.validationMessage).to.equal('');
    find(el, '[part=remove-button]').click();
    expect(el.checkValidity()).to.equal(true);
  });

  it('are uploaded by a submit that waits', async () => {
    const el = await createElement({ 'submit-waits': true });
    await addFiles(el, createFiles(1, 1000));
    await fill(el, 0, 'caption', 'Text');
    const sent = new Promise<string>((resolve) =>
      form.addEventListener('submit', (event) => {
        if (event.defaultPrevented) return;
        event.preventDefault();
        resolve(String(new FormData(form).get('docs-fields')));
      }),
    );
    form.requestSubmit();
    const path = JSON.parse(await sent) as Record<string, unknown>;
    expect(Object.values(path)).to.deep.equal([{ caption: 'Text' }]);
  });

  it('keep keys, pasted text and input events to themselves', async () => {
    const el = await createElement();
    await addFiles(el, createFiles(2, 1000));
    let inputs = 0;
    el.addEventListener('input', () => inputs++);
    await fill(el, 0, 'caption', 'Text');
    expect(inputs).to.equal(0);
    const caption = fieldOf(el, 0, 'caption');
    for (const key of ['Delete', 'ArrowDown', 'Home', 'End'])
      expect(
        caption.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true })),
        key,
      ).to.equal(true);
    expect(findRows(el)).to.have.length(2);
    const clipboardData = new DataTransfer();
    clipboardData.items.add(createFile('picture.png', 10, 'image/png'));
    clipboardData.setData('text/plain', 'A1');
    expect(paste(caption, clipboardData)).to.equal(true);
    expect(el.files).to.have.length(2);
    const picture = new DataTransfer();
    picture.items.add(createFile('picture.png', 10, 'image/png'));
    paste(caption, picture);
    await until(() => el.files.length === 3);
    expect(el.files, 'a field does nothing with a picture').to.have.length(3);
  });

  it('show and send what is stored with restored files', async () => {
    const first = await createElement();
    await addFiles(first, createFiles(1, 1000));
    await fill(first, 0, 'caption', 'Kept');
    const success = once(first, 'svc-upload-success');
    pressUpload(first);
    const { record } = (await success).detail;
    first.remove();
    const el = await createElement();
    el.restore([record, { ...record, id: 'other', path: 'other.bin', metadata: { unrelated: 'x' } }]);
    await waitForPaint(el);
    expect((fieldOf(el, 0, 'caption') as HTMLInputElement).value).to.equal('Kept');
    expect((fieldOf(el, 0, 'caption') as HTMLInputElement).readOnly).to.equal(true);
    expect(el.shadowRoot!.querySelectorAll('[part=fields]')).to.have.length(1);
    expect(readFields()).to.deep.equal({ [record.path]: { caption: 'Kept' }, 'other.bin': {} });
  });

  it('are below a single file of the inline appearance', async () => {
    const el = await createElement({ appearance: 'inline', multiple: false });
    await addFiles(el, createFiles(1, 1000));
    await fill(el, 0, 'caption', 'Single');
    const complete = once(el, 'svc-complete');
    pressUpload(el);
    await complete;
    expect(await storedMetadata()).to.deep.equal([{ caption: 'Single' }]);
  });

  it('keep the rows of a long list at one height, and Upload scrolls to an empty field', async () => {
    const el = await createElement();
    await addFiles(el, [...createFiles(59, 100), createFile('empty.bin', 0)]);
    // The list measures the rows, and renders as many as are visible.
    await until(() => findRows(el).length < 14);
    for (let row = 0; row < findRows(el).length; row++) await fill(el, row, 'caption', `File ${row}`);
    const filled = el.shadowRoot!.querySelectorAll('[part=fields]').length;
    expect(filled).to.be.lessThan(60);
    const heights = () => new Set(findRows(el).map((row) => Math.round(row.getBoundingClientRect().height)));
    expect([...heights()]).to.have.length(1);
    pressUpload(el);
    await until(() => el.shadowRoot!.activeElement?.getAttribute('part') === 'field-input');
    const focused = el.shadowRoot!.activeElement!;
    expect(Number(focused.closest('li')!.getAttribute('aria-posinset'))).to.equal(filled + 1);
    await until(() => {
      // The list may still scroll to the empty field.
      find(el, '.list').scrollTop = 1e6;
      return findRows(el).some((row) => row.textContent!.includes('empty.bin'));
    });
    expect([...heights()], 'a refused file too').to.have.length(1);
  });

  it('load their code only if the page asks for them', async () => {
    const frame = document.createElement('iframe');
    frame.src = '/test/web/form/restore.html';
    const loaded = once(frame, 'load');
    document.body.append(frame);
    await loaded;
    const page = frame.contentWindow as Window & typeof globalThis;
    const hasLoaded = () => page.performance.getEntriesByType('resource').some(({ name }) => name.includes('/file-fields.'));
    const el = page.document.querySelector('svc-uploader')!;
    el.endpoint = `${location.origin}/storage/store`;
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.pdf', 300_000)]);
    await complete;
    expect(hasLoaded()).to.equal(false);
    el.setAttribute('fields', FIELDS);
    await until(hasLoaded);
    expect(hasLoaded()).to.equal(true);
    frame.remove();
  });
});

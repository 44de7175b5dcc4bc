import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFiles, FaultyService } from '../queue/faulty-service.js';
import { createUploader, find, once, readTexts, removeAll, until, waitForPaint } from './fixture.js';
import type { Attributes } from './fixture.js';

const CAPTION = { name: 'caption', label: 'Caption', required: true, maxlength: 80 };
const KIND = { name: 'kind', label: 'Kind', options: ['Invoice', 'Contract'], required: true };

describe('a file with fields', () => {
  let service: FaultyService;
  let form: HTMLFormElement;

  beforeEach(async () => {
    localStorage.clear();
    sessionStorage.clear();
    service = await FaultyService.open();
    form = document.body.appendChild(document.createElement('form'));
  });
  afterEach(async () => {
    removeAll();
    await service.close();
  });

  async function createElement(fields: unknown, attributes: Attributes = {}): Promise<SvcUploader> {
    const el = await createUploader(
      { name: 'docs', multiple: true, endpoint: service.url, token: false, fields: JSON.stringify(fields), ...attributes },
      { parent: form },
    );
    el.tokenProvider = service.provider(() => ({ max_uses: 20 }));
    await el.updateComplete;
    return el;
  }

  async function addFiles(el: SvcUploader, count: number): Promise<void> {
    await el.addFiles(createFiles(count, 1000));
    await waitForPaint(el);
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

  const pressUpload = (el: SvcUploader) => find(el, '.primary').click();
  const storedMetadata = async () => (await service.files()).map(({ metadata }) => metadata);
  const countRequests = async () => (await service.requests()).filter(({ method }) => method === 'POST').length;

  it('sends nothing while the setting is invalid, and says which rule it breaks', async () => {
    const { warn } = console;
    const warnings: string[] = [];
    console.warn = (...parts: unknown[]) => void warnings.push(parts.join(' '));
    try {
      const el = await createElement([{ name: 'My caption', label: 'Caption' }]);
      await addFiles(el, 1);
      await until(() => el.validity.customError);
      expect(el.validationMessage).to.include('Field 1 has the name "My caption". Write 1 to 64 lower-case letters');
      el.upload();
      await until(() => el.uploads[0]!.state.status === 'failed');
      await waitForPaint(el);
      expect(readTexts(el, 'status')).to.deep.equal(['Uploads aren’t available right now. Try again.']);
      expect(await countRequests()).to.equal(0);
      expect(warnings.filter((text) => text.includes('fields'))).to.have.length(1);
    } finally {
      console.warn = warn;
    }
  });

  it('limits the length of a text while a person writes', async () => {
    const el = await createElement([CAPTION, { name: 'note', label: 'Note' }]);
    await addFiles(el, 1);
    expect((fieldOf(el, 0, 'caption') as HTMLInputElement).maxLength).to.equal(80);
    expect((fieldOf(el, 0, 'note') as HTMLInputElement).maxLength).to.equal(200);
  });

  it('offers only the choices of the page, and holds a file without a required one', async () => {
    const el = await createElement([KIND]);
    await addFiles(el, 1);
    const select = fieldOf(el, 0, 'kind') as HTMLSelectElement;
    expect(Array.from(select.options, ({ value }) => value)).to.deep.equal(['', 'Invoice', 'Contract']);
    expect(select.required).to.equal(true);
    pressUpload(el);
    await until(() => el.shadowRoot!.activeElement === select);
    expect(readTexts(el, 'field-error')).to.deep.equal(['Fill in this field.']);
    await fill(el, 0, 'kind', 'Contract');
    const complete = once(el, 'svc-complete');
    pressUpload(el);
    await complete;
    expect(await storedMetadata()).to.deep.equal([{ kind: 'Contract' }]);
  });

  it('forgets a choice that the page takes back before the upload', async () => {
    const el = await createElement([KIND]);
    await addFiles(el, 1);
    await fill(el, 0, 'kind', 'Invoice');
    expect(el.validity.valueMissing).to.equal(false);
    el.fields = [{ ...KIND, options: ['Report', 'Contract'] }];
    await el.updateComplete;
    expect(el.validity.valueMissing).to.equal(true);
    pressUpload(el);
    await until(() => readTexts(el, 'field-error').join() !== '');
    expect(el.uploads[0]!.state.status).to.equal('queued');
    expect(await countRequests()).to.equal(0);
  });

  it('keeps a choice that the page takes back after the person pressed Upload', async () => {
    const el = await createElement([KIND]);
    el.tokenProvider = () => new Promise(() => {});
    await addFiles(el, 1);
    await fill(el, 0, 'kind', 'Invoice');
    pressUpload(el);
    el.fields = [{ ...KIND, options: ['Report'] }];
    await el.updateComplete;
    const control = fieldOf(el, 0, 'kind') as HTMLInputElement;
    expect([control.value, control.readOnly]).to.deep.equal(['Invoice', true]);
  });

  it('takes a field whose name every object has as a property', async () => {
    const el = await createElement([{ name: 'constructor', label: 'Constructor', required: true }]);
    await addFiles(el, 1);
    expect(fieldOf(el, 0, 'constructor').value).to.equal('');
    expect(el.validity.valueMissing).to.equal(true);
    await fill(el, 0, 'constructor', 'Eiffel');
    const complete = once(el, 'svc-complete');
    pressUpload(el);
    await complete;
    expect(await storedMetadata()).to.deep.equal([{ constructor: 'Eiffel' }]);
  });

  it('keeps the values of small files apart', async () => {
    const el = await createElement([CAPTION]);
    await addFiles(el, 3);
    for (const row of [0, 1, 2]) await fill(el, row, 'caption', `Caption ${row}`);
    const complete = once(el, 'svc-complete');
    pressUpload(el);
    const { successful } = (await complete).detail;
    expect(successful.map(({ metadata }) => metadata?.['caption']).sort()).to.deep.equal(['Caption 0', 'Caption 1', 'Caption 2']);
    const stored = await service.files();
    for (const { id, metadata } of stored) {
      const item = successful.find(({ state }) => state.status === 'done' && state.file.id === id);
      expect(metadata).to.deep.equal(item!.metadata);
    }
    expect(stored).to.have.length(3);
  });

  it('lets the page be left while files only wait for their fields', async () => {
    const el = await createElement([CAPTION]);
    const leave = () => dispatchEvent(new Event('beforeunload', { cancelable: true }));
    await addFiles(el, 1);
    el.upload();
    await waitForPaint(el);
    expect(leave(), 'nothing is sent').to.equal(true);
    await service.rule({ method: 'POST', path: '^/v1/files', fault: { bytesPerSecond: 500 }, times: 1 });
    await fill(el, 0, 'caption', 'Text');
    pressUpload(el);
    await until(() => el.uploads[0]!.state.status === 'uploading');
    expect(leave(), 'the file is sent').to.equal(false);
  });

  it('leaves the fields out of the form and of the event if the page asks for none', async () => {
    const el = await createElement(null, { fields: false });
    const success = once(el, 'svc-upload-success');
    await addFiles(el, 1);
    expect((await success).detail.fields).to.deep.equal({});
    expect([...new FormData(form).keys()]).to.deep.equal(['docs']);
  });

  it('removes the values from the form with their file', async () => {
    const el = await createElement([CAPTION]);
    await addFiles(el, 1);
    await fill(el, 0, 'caption', 'Text');
    const complete = once(el, 'svc-complete');
    pressUpload(el);
    await complete;
    expect([...new FormData(form).keys()]).to.deep.equal(['docs', 'docs-fields']);
    find(el, '[part=remove-button]').click();
    await el.updateComplete;
    expect([...new FormData(form).keys()]).to.deep.equal([]);
  });
});

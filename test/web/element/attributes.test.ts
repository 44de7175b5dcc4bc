import { expect } from 'chai';
import '../../../src/element/index.js';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';

const SET = {
  appearance: 'inline',
  removal: 'delete',
  accept: '.pdf',
  label: 'Files',
  hint: 'PDF',
  locale: 'pt-BR',
  'token-endpoint': '/x',
  endpoint: 'https://blob.example.com/y',
  'max-size': '1MB',
  'allowed-extensions': 'pdf',
  'max-files': '3',
  concurrency: '2',
};

describe('removed attributes', () => {
  it('restore the defaults without a warning', async () => {
    const warnings: unknown[] = [];
    const { warn } = console;
    console.warn = (...words) => warnings.push(words);
    try {
      document.body.innerHTML = '<svc-uploader multiple></svc-uploader>';
      const el = document.querySelector('svc-uploader') as SvcUploader;
      await el.updateComplete;
      const before = el.shadowRoot!.innerHTML.replaceAll(/<!--.*?-->/g, '');
      for (const [name, value] of Object.entries(SET)) el.setAttribute(name, value);
      await el.updateComplete;
      expect(el.appearance).to.equal('inline');
      for (const name of Object.keys(SET)) el.removeAttribute(name);
      await el.updateComplete;
      expect(el.appearance).to.equal('dropzone');
      expect(el.removal).to.equal('list');
      expect(el.shadowRoot!.innerHTML.replaceAll(/<!--.*?-->/g, '')).to.equal(before);
      expect(warnings).to.deep.equal([]);
    } finally {
      console.warn = warn;
    }
  });
});

/** Invalid values by attribute. */
const BAD: Readonly<Record<string, readonly string[]>> = {
  appearance: ['wide', ''],
  shape: ['round', ''],
  removal: ['forget', ''],
  sources: ['kamera', 'device kamera'],
  accept: ['pdf files'],
  capture: ['foo'],
  locale: ['_', ' '],
  token: ['svc_live_0123456789', 'a'.repeat(64), 'with blanks'],
  'token-endpoint': ['ftp://x', ' '],
  endpoint: ['javascript:0', ' ', '/blob', 'blob.example.com', 'https://host:99999'],
  'max-size': ['large', '0', ' ', '10 apples'],
  'allowed-extensions': ['p/df'],
  'max-files': ['0', 'many', ' '],
  'max-total-size': ['-1', ' '],
  concurrency: ['1.5', '0', ' '],
  'resize-max-width': ['wide', ' '],
  'resize-max-height': ['0', '70000'],
  'resize-quality': ['2', ' ', 'good'],
  'resize-format': ['gif', ' '],
  fields: [
    'caption',
    '{}',
    '["caption"]',
    '[{"name":"My Caption","label":"Caption"}]',
    '[{"name":"a","label":"A"},{"name":"a","label":"B"}]',
    '[{"name":"a","label":" "}]',
    '[{"name":"a","label":"A","type":"text"}]',
    '[{"name":"a","label":"A","required":"yes"}]',
    '[{"name":"a","label":"A","maxlength":0}]',
    '[{"name":"a","label":"A","maxlength":700}]',
    '[{"name":"a","label":"A","options":[]}]',
    '[{"name":"a","label":"A","options":["x","x"]}]',
    '[{"name":"a","label":"A","options":["x"],"maxlength":5}]',
  ],
};
/** Attributes without invalid values: booleans and free text. */
const FREE = [
  'multiple',
  'required',
  'disabled',
  'readonly',
  'submit-waits',
  'webkitdirectory',
  'allow-empty',
  'sniff',
  'editable',
  // The editor reports it when it opens.
  'crop-ratio',
  'edit-first',
].concat([
  'verify',
  'fetch-limits',
  'fetch-previews',
  'strip-location',
  'reorderable',
  'manual',
  'name',
  'label',
  'drop-target',
  'paste-target',
  'hint',
]);
const SECRET = new Set(['token', 'tokenProvider', 'transport']);

interface CreatedElement {
  el: SvcUploader;
  warnings: string[];
}

/** Creates an element, changes its settings, and collects the warnings of the console. */
async function createElement(change: (el: SvcUploader) => void, multiple = true): Promise<CreatedElement> {
  const warnings: string[] = [];
  const { warn } = console;
  console.warn = (text: string) => warnings.push(text);
  try {
    document.body.innerHTML = `<svc-uploader ${multiple ? 'multiple' : ''} endpoint="${location.origin}/storage/store"></svc-uploader>`;
    const el = document.querySelector('svc-uploader') as SvcUploader;
    await el.updateComplete;
    change(el);
    await el.updateComplete;
    el.requestUpdate();
    await el.updateComplete;
    await el.addFiles([]);
    return { el, warnings };
  } finally {
    console.warn = warn;
  }
}

function expectReported({ el, warnings }: CreatedElement, name: string, value: string): void {
  expect(warnings.length).to.equal(1);
  expect(warnings[0])
    .to.include(`${name}=${JSON.stringify(SECRET.has(name) ? '…' : value)} cannot be used.`)
    .and.match(/(Write|mint) .+\.$|characters only\.$/);
  expect(el.validity.customError).to.equal(true);
  expect(el.validationMessage).to.equal(warnings[0]);
}

describe('invalid attributes', () => {
  afterEach(() => document.body.replaceChildren());

  it('are tested for every attribute', () => {
    const { observedAttributes } = customElements.get('svc-uploader') as unknown as { observedAttributes: string[] };
    expect([...Object.keys(BAD), ...FREE].sort()).to.deep.equal([...observedAttributes].sort());
  });

  for (const [name, values] of Object.entries(BAD))
    for (const value of values)
      it(`are logged once, make the element invalid, and never throw: ${name}="${value.slice(0, 20)}"`, async () => {
        const created = await createElement((el) => el.setAttribute(name, value));
        expectReported(created, name, value);
        created.el.removeAttribute(name);
        await created.el.updateComplete;
        expect(created.el.validity.valid).to.equal(true);
      });

  for (const [name, value] of [
    ['tokenProvider', 'svcup_0123456789'],
    ['tokenProvider', { token: 'svcup_0123456789' }],
    ['transport', 's3'],
  ] as const)
    it(`are logged for properties too, without secrets: ${name}`, async () => {
      const created = await createElement((el) => Object.assign(el, { [name]: value }));
      expectReported(created, name, '');
      expect(created.warnings[0]).not.to.include('svcup_');
    });

  it('stop uploads while tokenProvider is a string, until it is removed', async () => {
    const { el } = await createElement((one) => Object.assign(one, { tokenProvider: 'svcup_x', token: 'svcup_y' }));
    const failed = new Promise((resolve) => el.addEventListener('svc-upload-error', resolve, { once: true }));
    await el.addFiles([new File(['text'], 'a.txt')]);
    await failed;
    const stored = new Promise((resolve) => el.addEventListener('svc-upload-success', resolve, { once: true }));
    el.tokenProvider = null;
    await stored;
    expect(el.uploads[0]!.state.status).to.equal('done');
  });

  it('include max-files above one without multiple, which is logged but does not block the form', async () => {
    const { el, warnings } = await createElement((one) => one.setAttribute('max-files', '5'), false);
    expect(warnings).to.deep.equal([
      '<svc-uploader>: max-files="5" cannot be used. Write "multiple" as well. Without it, only one file is accepted.',
    ]);
    expect(el.validity.valid).to.equal(true);
    for (const give of [
      (el: SvcUploader) => el.setAttribute('max-files', '1'),
      (el: SvcUploader) => Object.assign(el, { maxFiles: 5, multiple: true }),
      (el: SvcUploader) => Object.assign(el, { maxFiles: 5, webkitdirectory: true }),
    ])
      expect((await createElement(give, false)).warnings).to.deep.equal([]);
  });

  it('do not include attributes of a native input, or those it adds', async () => {
    const warnings: string[] = [];
    const { warn } = console;
    console.warn = (text: string) => warnings.push(text);
    try {
      for (const [capture, adopted] of [
        ['camera', ''],
        ['User', 'User'],
      ]) {
        document.body.innerHTML = `<svc-uploader endpoint="${location.origin}/storage/store" max-files="5">
          <input type="file" multiple capture="${capture}"></svc-uploader>`;
        const el = document.querySelector('svc-uploader')!;
        await new Promise(requestAnimationFrame);
        await el.updateComplete;
        expect([el.multiple, el.capture, el.validity.valid]).to.deep.equal([true, adopted, true]);
        expect(el.shadowRoot!.querySelector('input')!.getAttribute('capture')).to.equal(adopted);
      }
      expect(warnings).to.deep.equal([]);
    } finally {
      console.warn = warn;
    }
  });

  for (const name of ['accept', 'capture', 'label', 'hint', 'locale', 'endpoint', 'tokenEndpoint', 'appearance', 'token'])
    it(`never throw if a framework sets a number: ${name}`, async () => {
      const { el } = await createElement((one) => Object.assign(one, { [name]: 5 }));
      expect(el.isUpdatePending).to.equal(false);
    });

  it('never throw if a framework sets numbers as extensions', async () => {
    for (const value of [5, [5, 7]]) {
      const { el } = await createElement((one) => Object.assign(one, { allowedExtensions: value }));
      expect(el.validity.valid).to.equal(true);
    }
  });
});

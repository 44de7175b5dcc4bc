import { expect } from 'chai';
import '../../../src/uploader/index.js';
import type { SvcUploader } from '../../../src/uploader/element.js';

const SET = {
  appearance: 'inline',
  accept: '.pdf',
  label: 'Files',
  hint: 'PDF',
  locale: 'pt-BR',
  'token-endpoint': '/x',
  endpoint: '/y',
  'max-size': '1MB',
  'allowed-extensions': 'pdf',
  'max-files': '3',
  concurrency: '2',
};

describe('attributes that are taken away', () => {
  it('leave the element as it was at first, without a warning', async () => {
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
      expect(el.shadowRoot!.innerHTML.replaceAll(/<!--.*?-->/g, '')).to.equal(before);
      expect(warnings).to.deep.equal([]);
    } finally {
      console.warn = warn;
    }
  });
});

const BAD = {
  appearance: 'wide',
  accept: 'pdf files',
  locale: '_',
  'token-endpoint': 'ftp://x',
  endpoint: 'javascript:0',
  'max-size': 'large',
  'allowed-extensions': 'p/df',
  'max-files': '0',
  'max-total-size': '-1',
  concurrency: '1.5',
  'resize-max-width': 'wide',
  'resize-max-height': '0',
  'resize-quality': '2',
};

describe('attributes that cannot be used', () => {
  for (const [name, value] of Object.entries(BAD))
    it(`are told once, make the element invalid, and never throw: ${name}`, async () => {
      const warnings: string[] = [];
      const { warn } = console;
      console.warn = (text: string) => warnings.push(text);
      try {
        document.body.innerHTML = '<svc-uploader multiple></svc-uploader>';
        const el = document.querySelector('svc-uploader') as SvcUploader;
        el.setAttribute(name, value);
        await el.updateComplete;
        el.requestUpdate();
        await el.updateComplete;
        await el.addFiles([]);
        expect(warnings.length).to.equal(1);
        expect(warnings[0])
          .to.include(`${name}="${value}" cannot be used.`)
          .and.match(/Write .+\.$/);
        expect(el.validity.customError).to.equal(true);
        expect(el.validationMessage).to.equal(warnings[0]);
        el.removeAttribute(name);
        await el.updateComplete;
        expect(el.validity.valid).to.equal(true);
      } finally {
        console.warn = warn;
        document.body.replaceChildren();
      }
    });
});

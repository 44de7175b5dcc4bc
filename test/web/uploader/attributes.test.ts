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

// Every browser: engines implement form association differently.
import type { SvcUploader } from '../../../src/element/index.js';
import '../../../src/element/index.js';
import { createFile, once } from '../element/fixture.js';
import { formContract } from './contract.js';

formContract<SvcUploader>({
  tag: 'svc-uploader',
  create(attributes = {}) {
    const el = document.createElement('svc-uploader');
    const all = { endpoint: `${location.origin}/storage/store`, token: 'svcup_test', multiple: '', ...attributes };
    for (const [name, value] of Object.entries(all)) el.setAttribute(name, value);
    return el;
  },
  async fill(el) {
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.pdf', 300_000), createFile('b.pdf', 300_000)]);
    await complete;
    return ['docs/a.pdf', 'docs/b.pdf'];
  },
});

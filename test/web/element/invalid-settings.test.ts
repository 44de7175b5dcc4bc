import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, find, waitForPaint, removeAll, readTexts, until, createUploader } from './fixture.js';
import type { Attributes } from './fixture.js';

const NO_PERMISSION = 'Uploads aren’t available right now. Try again.';

/** Collects the URLs of all requests that the page makes while a function runs. */
async function collectRequests(act: () => Promise<void>): Promise<string[]> {
  const seen: string[] = [];
  const { open } = XMLHttpRequest.prototype;
  const { fetch } = globalThis;
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...args: unknown[]) {
    seen.push(String(args[1]));
    return (open as (...args: unknown[]) => void).apply(this, args);
  };
  globalThis.fetch = (input, init) => {
    seen.push(String(input instanceof Request ? input.url : input));
    return fetch(input, init);
  };
  try {
    await act();
  } finally {
    XMLHttpRequest.prototype.open = open;
    globalThis.fetch = fetch;
  }
  return seen;
}

const listStatuses = (el: SvcUploader): string[] => el.uploads.map(({ state }) => state.status);

/** Waits until all files have a status. */
async function waitForAll(el: SvcUploader, status: string): Promise<void> {
  await until(() => listStatuses(el).every((one) => one === status));
  expect(new Set(listStatuses(el)), 'statuses').to.deep.equal(new Set([status]));
  await waitForPaint(el);
}

const readSharedError = (el: SvcUploader) => find(el, '.summary-details').textContent!;

/** Uploads two files that cannot go, and tries again. @returns the error that the summary states for both */
async function readFailureText(el: SvcUploader): Promise<string> {
  await el.addFiles([createFile('a.bin', 400_000), createFile('b.bin', 20)]);
  await waitForAll(el, 'failed');
  let completed = 0;
  el.addEventListener('svc-complete', () => (completed += 1));
  find(el, '[part=retry-button]').click();
  await until(() => completed > 0);
  expect(completed, 'svc-complete after the second try').to.equal(1);
  await waitForAll(el, 'failed');
  return readSharedError(el);
}

const UNUSABLE = [
  'https://host:99999',
  'http://[::bad',
  'blob.example.com',
  'localhost:8080',
  '/blob',
  './blob',
  '//blob.example.com',
  'https:blob.example.com',
  'https:///',
  'ftp://blob.example.com',
  'blob:https://blob.example.com/x',
  'javascript:alert(1)',
  'https://user:secret@blob.example.com',
  'https://blob.example.com?a=b',
  'https://blob.example.com#a',
  'https://blob.exa mple.com',
  ' ',
];

describe('an invalid address of Blob Storage', () => {
  afterEach(removeAll);

  for (const address of UNUSABLE) {
    it(`makes the element invalid and sends nothing: endpoint="${address}"`, async () => {
      const el = await createUploader({ endpoint: address, multiple: true });
      const seen = await collectRequests(async () => {
        expect(await readFailureText(el)).to.equal(NO_PERMISSION);
      });
      expect(seen).to.deep.equal([]);
      expect(el.validity.customError).to.equal(true);
      expect(el.validationMessage).to.include(`endpoint=${JSON.stringify(address)} cannot be used.`);
    });

    it(`fails the files and sends nothing if it comes with a token: url "${address}"`, async () => {
      const el = await createUploader({ endpoint: false, token: false, multiple: true });
      el.tokenProvider = async () => ({ token: 'svcup_test', url: address });
      const seen = await collectRequests(async () => {
        expect(await readFailureText(el)).to.equal(NO_PERMISSION);
      });
      expect(seen).to.deep.equal([]);
    });
  }

  for (const text of ['/storage/store', '/storage/store//', '/storage/store\n'])
    it(`does not mean extra blanks or slashes: ${JSON.stringify(text)}`, async () => {
      const el = await createUploader({ endpoint: `\n ${location.origin}${text}` });
      await el.addFiles([createFile('a.bin', 400_000)]);
      await until(() => el.value !== '');
      expect(el.value).to.equal('docs/a.bin');
    });
});

describe('an invalid attribute', () => {
  afterEach(removeAll);

  const unusable: Attributes[] = [
    { 'max-size': 'large' },
    { 'allowed-extensions': '*' },
    { 'max-files': 0 },
    { 'max-total-size': '-1' },
    { concurrency: 'many' },
    { 'resize-max-width': 'wide' },
    { 'token-endpoint': 'http://[::bad' },
    { token: `svc_live_${'0'.repeat(40)}` },
    { accept: 'pictures' },
  ];
  for (const attributes of unusable)
    it(`stops every upload: ${Object.keys(attributes).join()}`, async () => {
      const el = await createUploader({ multiple: true, ...attributes });
      const seen = await collectRequests(async () => {
        await el.addFiles([new File(['x'.repeat(400_000)], 'a.png', { type: 'image/png' })]);
        await waitForAll(el, 'failed');
      });
      expect(seen).to.deep.equal([]);
      expect(el.validity.customError).to.equal(true);
    });

  it('aborts running uploads, and continues them once it is fixed', async () => {
    const el = await createUploader({ multiple: true, concurrency: 1 }, { storage: 'slow' });
    await el.addFiles([createFile('a.bin', 400_000), createFile('b.bin', 400_000)]);
    await until(() => el.uploads[0]!.state.status === 'uploading');
    const { endpoint } = el;
    el.endpoint = 'blob.example.com';
    await waitForAll(el, 'failed');
    expect(readSharedError(el)).to.equal(NO_PERMISSION);
    el.endpoint = endpoint;
    await waitForAll(el, 'done');
    expect(el.values).to.deep.equal(['docs/a.bin', 'docs/b.bin']);
  });

  it('fails a pending submit instead of delaying it forever', async () => {
    const form = document.body.appendChild(document.createElement('form'));
    let submits = 0;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      submits += 1;
    });
    const el = await createUploader({ name: 'doc', 'submit-waits': true }, { storage: 'slow', parent: form });
    await el.addFiles([createFile('a.bin', 400_000)]);
    form.requestSubmit();
    el.endpoint = 'blob.example.com';
    await waitForAll(el, 'failed');
    expect(submits).to.equal(0);
    expect(readTexts(el, 'note').join()).to.include('cannot be used');
  });

  it('does not mean a relative address of the token endpoint', async () => {
    const el = await createUploader({ token: false, endpoint: false, 'token-endpoint': '../../../storage/store/token' });
    await el.addFiles([createFile('a.bin', 400_000)]);
    await until(() => el.value !== '');
    expect(el.value).to.equal('docs/a.bin');
  });
});

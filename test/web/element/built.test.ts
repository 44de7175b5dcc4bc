import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';
// Not the fixture, which registers the element from its sources.
import { once, until } from './wait.js';

const BUILT = '/dist/svc-uploader.js';

/** Tests the built files. Skipped if there is no build. */
describe('the file for a script tag', () => {
  before(async function () {
    const response = await fetch(BUILT, { method: 'HEAD' });
    if (!response.headers.get('content-type')?.includes('javascript')) this.skip();
    await import(/* @vite-ignore */ BUILT);
  });
  afterEach(() => document.body.replaceChildren());

  /** Creates an element whose code is the built file. */
  function createUploader(attributes = '', storage = 'store'): SvcUploader {
    document.body.innerHTML = `<svc-uploader ${attributes} token="svcup_test" endpoint="${location.origin}/storage/${storage}"></svc-uploader>`;
    return document.querySelector('svc-uploader')!;
  }

  const createFile = (name: string) => new File([new Uint8Array(500_000)], name);

  it('uploads, and reports progress and failures', async () => {
    const el = createUploader('multiple');
    let progress = 0;
    el.addEventListener('svc-upload-progress', () => (progress += 1));
    const stored = once(el, 'svc-complete');
    await el.addFiles([createFile('a.bin'), createFile('b.bin')]);
    expect((await stored).detail.successful).to.have.length(2);
    expect(progress).to.be.greaterThan(0);
    el.endpoint = `${location.origin}/storage/refuse/STORAGE_FULL/507`;
    await el.updateComplete;
    const refused = once(el, 'svc-complete');
    await el.addFiles([createFile('c.bin')]);
    const { failed } = (await refused).detail;
    expect(failed.map(({ state }) => state.status === 'failed' && state.error.code)).to.deep.equal(['STORAGE_FULL']);
  });

  it('loads a file again that could not be loaded', async () => {
    const names = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
    const files = names.filter((path) => path.startsWith('/dist/'));
    const texts = await Promise.all(files.map(async (path) => (await fetch(path)).text()));
    const [chunk] = /collect-files-[\w-]+\.js/.exec(texts.join(''))!;
    const missing = `/missing?path=/dist/svc-uploader/${chunk}`;
    await fetch(missing);
    const el = createUploader('multiple strip-location');
    const failed = once(el, 'svc-complete');
    await el.addFiles([new File(['picture'], 'a.jpg')]);
    expect((await failed).detail.successful).to.deep.equal([]);
    await fetch(`${missing}&back`);
    const stored = once(el, 'svc-complete');
    el.retry();
    expect((await stored).detail.successful.map(({ name }) => name)).to.deep.equal(['a.jpg']);
  });

  it('releases Uppy a second after the last request', async () => {
    const { setTimeout, onerror } = window;
    const errors: unknown[] = [];
    let releases = 0;
    window.onerror = (message) => errors.push(message);
    // Shortens that second.
    window.setTimeout = ((run: () => void, ms = 0) =>
      setTimeout(() => {
        run();
        if (ms === 1000) releases += 1;
      }, ms % 1000)) as typeof setTimeout;
    try {
      const el = createUploader();
      const complete = once(el, 'svc-complete');
      await el.addFiles([createFile('a.bin')]);
      await complete;
      await until(() => releases + errors.length > 0);
      expect([errors, releases]).to.deep.equal([[], 1]);
    } finally {
      Object.assign(window, { setTimeout, onerror });
    }
  });

  it('loads every file once if its own address has a query, as for cache busting', async () => {
    const frame = document.createElement('iframe');
    frame.srcdoc = `<svc-uploader multiple token="svcup_test" endpoint="${location.origin}/storage/store"></svc-uploader>
      <script type="module" src="${BUILT}?v=1"></script>`;
    document.body.append(frame);
    await once(frame, 'load');
    const view = frame.contentWindow! as Window & typeof globalThis;
    await view.customElements.whenDefined('svc-uploader');
    const el = frame.contentDocument!.querySelector('svc-uploader')!;
    const complete = once(el, 'svc-complete');
    await el.addFiles([new view.File(['text'], 'a.txt')]);
    expect((await complete).detail.successful).to.have.length(1);
    await until(() => el.shadowRoot!.querySelector('[part="file"]') !== null);
    const paths = view.performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
    const files = paths.filter((path) => path.startsWith('/dist/'));
    expect(files).to.include(BUILT);
    expect(files).to.deep.equal([...new Set(files)]);
  });
});

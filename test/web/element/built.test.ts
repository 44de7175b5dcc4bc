import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';

const BUILT = '/dist/svc-uploader.js';

/** Tests the built file. Skipped if there is no build. */
describe('the self-contained file', () => {
  before(async function () {
    if (!(await fetch(BUILT, { method: 'HEAD' })).headers.get('content-type')?.includes('javascript')) this.skip();
    await import(/* @vite-ignore */ BUILT);
  });

  it('uploads, reports a failure, and releases its resources without an error', async () => {
    const errors: string[] = [];
    const note = ({ message }: ErrorEvent) => errors.push(message);
    addEventListener('error', note);
    document.body.innerHTML = `<svc-uploader multiple token="svcup_test" endpoint="${location.origin}/storage/store"></svc-uploader>`;
    const el = document.querySelector('svc-uploader') as SvcUploader;
    const complete = () =>
      new Promise<CustomEvent>((resolve) => el.addEventListener('svc-complete', resolve as EventListener, { once: true }));
    let progress = 0;
    el.addEventListener('svc-upload-progress', () => (progress += 1));
    let ended = complete();
    await el.addFiles([new File([new Uint8Array(500_000)], 'a.bin'), new File([new Uint8Array(700_000)], 'b.bin')]);
    expect((await ended).detail.successful.length).to.equal(2);
    expect(progress).to.be.greaterThan(0);
    el.endpoint = `${location.origin}/storage/refuse/STORAGE_FULL/507`;
    await el.updateComplete;
    ended = complete();
    await el.addFiles([new File([new Uint8Array(500_000)], 'c.bin')]);
    const { failed } = (await ended).detail as { failed: { state: { error: { code: string } } }[] };
    expect(failed.map(({ state }) => state.error.code)).to.deep.equal(['STORAGE_FULL']);
    // The engine is released a second after the last request.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    el.remove();
    removeEventListener('error', note);
    expect(errors).to.deep.equal([]);
  });

  it('loads a chunk again that could not be loaded', async () => {
    const [part] = /svc-uploader\/collect-files-[^`'"]+/.exec(await (await fetch(BUILT)).text())!;
    const missing = `/missing?path=/dist/${part}`;
    await fetch(missing);
    document.body.innerHTML = `<svc-uploader multiple strip-location token="svcup_test" endpoint="${location.origin}/storage/store"></svc-uploader>`;
    const el = document.querySelector('svc-uploader') as SvcUploader;
    const names = () =>
      new Promise<string[]>((resolve) =>
        el.addEventListener('svc-complete', (event) => resolve(event.detail.successful.map(({ name }) => name)), { once: true }),
      );
    const failed = names();
    await el.addFiles([new File(['picture'], 'a.jpg')]);
    expect(await failed).to.deep.equal([]);
    await fetch(`${missing}&back`);
    const again = names();
    el.retry();
    expect(await again).to.deep.equal(['a.jpg']);
    el.remove();
  });

  it('releases the upload engine once no file is being sent', async () => {
    const { setTimeout, onerror } = window;
    const errors: unknown[] = [];
    let rested = 0;
    window.onerror = (message) => errors.push(message);
    // Shortens the second after which the engine is released.
    window.setTimeout = ((run: () => void, ms = 0) =>
      setTimeout(() => {
        run();
        if (ms === 1000) rested += 1;
      }, ms % 1000)) as typeof setTimeout;
    try {
      document.body.innerHTML = `<svc-uploader token="svcup_test" endpoint="${location.origin}/storage/store"></svc-uploader>`;
      const el = document.querySelector('svc-uploader') as SvcUploader;
      const complete = new Promise((resolve) => el.addEventListener('svc-complete', resolve, { once: true }));
      await el.addFiles([new File([new Uint8Array(500_000)], 'a.bin')]);
      await complete;
      for (let turn = 0; turn < 100 && rested + errors.length === 0; turn += 1) await new Promise((next) => setTimeout(next, 20));
      expect(errors).to.deep.equal([]);
      expect(rested).to.equal(1);
    } finally {
      Object.assign(window, { setTimeout, onerror });
    }
  });
});

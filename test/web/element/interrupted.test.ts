import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { INTERRUPTED_KEY } from '../../../src/queue/has-interrupted-uploads.js';
import type { InterruptedUpload } from '../../../src/queue/transport/interrupted-uploads.js';
import { createFiles, FaultyService } from '../queue/faulty-service.js';
import type { Attributes } from './fixture.js';
import { createUploader, find, findRows, once, readTexts, removeAll, until, waitForPaint } from './fixture.js';

const MiB = 1024 * 1024;

describe('uploads that a reload interrupted', () => {
  let service: FaultyService;
  let form: HTMLFormElement;
  let refusesTokens = false;
  const file = () => createFiles(1, 24 * MiB, () => 'holiday.mp4')[0]!;

  beforeEach(async () => {
    localStorage.clear();
    sessionStorage.clear();
    refusesTokens = false;
    service = await FaultyService.open();
    form = document.createElement('form');
    document.body.append(form);
  });
  afterEach(async () => {
    removeAll();
    await service.close();
  });

  async function createElement(attributes: Attributes = {}): Promise<SvcUploader> {
    const el = await createUploader(
      { name: 'video', multiple: true, endpoint: service.url, token: false, ...attributes },
      { parent: form },
    );
    el.tokenProvider = async (request) => {
      if (refusesTokens) throw new Error('logged out');
      return service.provider(() => ({ max_uses: 5 }))(request);
    };
    await waitForPaint(el);
    return el;
  }

  /** Changes the entries in storage. */
  function editEntries(change: (entry: InterruptedUpload) => void): void {
    const entries = JSON.parse(sessionStorage.getItem(INTERRUPTED_KEY) ?? '{}') as Record<string, InterruptedUpload>;
    Object.values(entries).forEach(change);
    sessionStorage.setItem(INTERRUPTED_KEY, JSON.stringify(entries));
  }

  const isStored = () => sessionStorage.getItem(INTERRUPTED_KEY) !== null;

  /** Interrupts an upload at 18 MiB. The element is removed, as by a reload. */
  async function interruptUpload(): Promise<void> {
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 18 * MiB }, times: 1 });
    const el = await createElement();
    await el.addFiles([file()]);
    await until(() => find(el, 'progress') && el.uploads.some(({ state }) => 'sent' in state && state.sent >= 18 * MiB));
    el.remove();
    await Promise.resolve();
    // The progress is saved once a second.
    editEntries((entry) => Object.assign(entry, { visit: 1, sent: 18 * MiB }));
  }

  const listed = (el: SvcUploader) => [...el.shadowRoot!.querySelectorAll<HTMLElement>('[part=interrupted-file]')];
  const listedTexts = (el: SvcUploader) => listed(el).map((row) => row.querySelector('.state')!.textContent!.trim());
  const deletions = async () =>
    (await service.requests()).filter(({ method, status }) => method === 'DELETE' && status === 204).length;

  it('are listed with their progress and do not affect the form', async () => {
    await interruptUpload();
    const el = await createElement();
    await until(() => listed(el).length === 1);
    expect(listed(el)[0]!.querySelector('.whole')!.textContent).to.equal('holiday.mp4');
    expect(listedTexts(el)).to.deep.equal(['Choose this file again to continue at 75%.']);
    expect([el.validity.valid, el.uploads.length, findRows(el).length]).to.deep.equal([true, 0, 0]);
    expect(JSON.stringify({ ...localStorage }), 'names are not kept beyond the tab').to.not.include('holiday');
    expect(JSON.stringify({ ...sessionStorage })).to.not.include('svcup_');
  });

  it('continue if the same file is chosen again', async () => {
    await interruptUpload();
    const el = await createElement();
    await until(() => listed(el).length === 1);
    const complete = once(el, 'svc-complete');
    await el.addFiles([file()]);
    await waitForPaint(el);
    expect(listedTexts(el)).to.deep.equal([]);
    await complete;
    expect(el.values).to.have.lengthOf(1);
    const bytes = (await service.requests()).reduce((sum, { requestBytes }) => sum + requestBytes, 0);
    expect(bytes, 'sent bytes, with at most one piece repeated').to.be.below(24 * MiB + 8 * MiB);
    expect(isStored()).to.equal(false);
  });

  it('stay listed if a file of another date is chosen, which is a new file', async () => {
    await interruptUpload();
    const el = await createElement();
    await until(() => listed(el).length === 1);
    const complete = once(el, 'svc-complete');
    const chosen = file();
    await el.addFiles([new File([chosen], chosen.name, { lastModified: 2 })]);
    await complete;
    await waitForPaint(el);
    expect(listed(el)).to.have.lengthOf(1);
    expect(readTexts(el, 'name').map((name) => name.trim())).to.have.lengthOf(2);
  });

  it('end at the service if the person dismisses them', async () => {
    await interruptUpload();
    const el = await createElement();
    await until(() => listed(el).length === 1);
    find(el, '.interrupted button').click();
    await waitForPaint(el);
    expect(listedTexts(el)).to.deep.equal([]);
    expect(el.shadowRoot!.activeElement?.getAttribute('part')).to.equal('file-selector-button');
    while ((await deletions()) === 0) await new Promise((resolve) => requestAnimationFrame(resolve));
    expect([isStored(), localStorage.length]).to.deep.equal([false, 0]);
  });

  it('are forgotten if the person dismisses them without a token', async () => {
    await interruptUpload();
    const el = await createElement();
    await until(() => listed(el).length === 1);
    refusesTokens = true;
    find(el, '.interrupted button').click();
    await until(() => !isStored() && localStorage.length === 0);
    expect([isStored(), localStorage.length, await deletions()]).to.deep.equal([false, 0, 0]);
  });

  for (const [title, prepare, attributes] of [
    ['in another field', () => {}, { name: 'other' }],
    ['with another token endpoint', () => {}, { 'token-endpoint': '/elsewhere' }],
    ['in a disabled element', () => {}, { disabled: true }],
    ['after the service may have deleted them', () => editEntries((entry) => (entry.expiresAt = Date.now() - 1)), {}],
    ['after another tab has finished them', () => localStorage.clear(), {}],
    ['in the visit that began them', () => editEntries((entry) => (entry.visit = performance.timeOrigin)), {}],
    ['with a damaged storage', () => sessionStorage.setItem(INTERRUPTED_KEY, '{'), {}],
  ] as const)
    it(`are not listed ${title}`, async () => {
      await interruptUpload();
      const before = await createElement();
      await until(() => listed(before).length === 1);
      prepare();
      const el = await createElement(attributes);
      // The code of the list is loaded, so a few paints would show it.
      for (let paint = 0; paint < 5; paint++) await waitForPaint(el);
      expect(listedTexts(el)).to.deep.equal([]);
    });

  it('are not listed if the person canceled them, even with an expired token', async () => {
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 18 * MiB }, times: 1 });
    const el = await createElement();
    await el.addFiles([file()]);
    await until(isStored);
    const { now } = Date;
    try {
      Date.now = () => now() + 7_200_000;
      el.cancel();
      await until(() => !isStored());
    } finally {
      Date.now = now;
    }
    expect([isStored(), localStorage.length, await deletions()]).to.deep.equal([false, 0, 0]);
  });

  it('are not listed if the service refused the file', async () => {
    const body = JSON.stringify({ code: 'BLOB_FILE_TOO_LARGE', message: 'too large' });
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { respond: { status: 413, body } } as never });
    const el = await createElement();
    await el.addFiles([file()]);
    await until(() => el.uploads[0]?.state.status === 'failed');
    expect(isStored()).to.equal(false);
  });
});

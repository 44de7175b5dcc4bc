// Long because each state of the element is one scene.
import axe from 'axe-core';
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, find, once, waitForPaint, removeAll, findRows, readTexts, until, createUploader } from './fixture.js';
import type { Attributes } from './fixture.js';

interface Scene {
  attributes?: Attributes;
  storage?: string;
  files?: File[];
  act?: (el: SvcUploader) => unknown;
}

const files = [createFile('a.pdf', 3000), createFile('b.png', 500_000)];
const named = { multiple: true, label: 'Attachments', hint: 'PDF or PNG' };

const OPTIONAL_FIELD = '[{"name":"note","label":"Note"}]';
const FIELDS = JSON.stringify([
  { name: 'caption', label: 'Caption', required: true },
  { name: 'kind', label: 'Kind', options: ['Invoice', 'Contract'], required: true },
]);

const SCENES: Record<string, Scene> = {
  empty: {},
  'with a label of the page': { attributes: { label: false }, act: addPageLabel },
  single: { attributes: { multiple: false }, files: files.slice(0, 1), storage: 'hang' },
  inline: { attributes: { multiple: false, appearance: 'inline' }, files: files.slice(0, 1), storage: 'hang' },
  button: { attributes: { appearance: 'button' } },
  'grid, uploading': { attributes: { appearance: 'grid' }, files: files, storage: 'hang' },
  'grid, complete': { attributes: { appearance: 'grid' }, files: files, act: (el) => once(el, 'svc-complete') },
  'grid, failed': {
    attributes: { appearance: 'grid' },
    files: files,
    storage: 'refuse/FILE_EXISTS/409',
    act: (el) => once(el, 'svc-complete'),
  },
  'grid, refused': { attributes: { appearance: 'grid', 'max-size': 10 }, files: files },
  'grid, many': {
    attributes: { appearance: 'grid' },
    files: Array.from({ length: 200 }, (_, index) => createFile(`${index}.txt`)),
    storage: 'hang',
  },
  'grid, reorderable': {
    attributes: { appearance: 'grid', reorderable: true },
    files: files,
    act: async (el) => (await waitForMoveButtons(el))[0]!.click(),
  },
  'grid, read-only': { attributes: { appearance: 'grid' }, files: files, act: (el) => (el.readOnly = true) },
  uploading: { files: files, storage: 'hang' },
  paused: { files: files, storage: 'hang', act: (el) => el.pause() },
  complete: { files: files, storage: 'store', act: (el) => once(el, 'svc-complete') },
  failed: { files: files.slice(1), storage: 'refuse/FILE_EXISTS/409', act: (el) => once(el, 'svc-complete') },
  refused: { attributes: { 'max-size': 10 }, files: files },
  full: { attributes: { 'max-files': 2 }, files: files, storage: 'hang' },
  disabled: { attributes: { disabled: true } },
  'read-only': { files: files, act: (el) => (el.readOnly = true) },
  manual: { attributes: { manual: true }, files: files },
  many: { files: Array.from({ length: 200 }, (_, index) => createFile(`${index}.txt`)), storage: 'hang' },
  reorderable: { attributes: { reorderable: true }, files: files, act: (el) => waitForMoveButtons(el) },
  lifted: {
    attributes: { reorderable: true },
    files: files,
    act: async (el) => (await waitForMoveButtons(el))[0]!.click(),
  },
  'inline, refused': { attributes: { multiple: false, appearance: 'inline', 'max-size': 10 }, files: files.slice(0, 1) },
  'many refused': { attributes: { 'max-size': 1 }, files: Array.from({ length: 60 }, (_, index) => createFile(`${index}.txt`)) },
  'waiting for a retry': {
    files: files,
    storage: 'refuse/SERVICE_UNAVAILABLE/503',
    act: async (el) => {
      await until(() => isWaiting(el));
      expect(isWaiting(el)).to.equal(true);
    },
  },
  offline: { files: files, storage: 'hang', act: (el) => goOffline(el) },
  'offline, one file': { attributes: { multiple: false }, files: files.slice(0, 1), storage: 'hang', act: (el) => goOffline(el) },
  dragging: { act: (el) => dragOver(el) },
  'dragging over files': { files: files, storage: 'hang', act: (el) => dragOver(el) },
  'waiting with a submit': {
    attributes: { name: 'doc', 'submit-waits': true },
    files: files,
    storage: 'hang',
    act: (el) => holdSubmit(el),
  },
  'with an error': { attributes: { name: 'doc', required: true }, act: (el) => el.reportValidity() },
  'preparing photos': { attributes: { 'resize-max-width': 20 }, act: (el) => choosePhotos(el) },
  fields: { attributes: { fields: FIELDS }, files: files },
  'fields, empty ones reported': { attributes: { fields: FIELDS }, files: files, act: (el) => reportFields(el) },
  'fields, being uploaded': {
    attributes: { fields: OPTIONAL_FIELD },
    files: files,
    storage: 'hang',
    act: (el) => startUpload(el),
  },
  'fields, inline': {
    attributes: { fields: FIELDS, multiple: false, appearance: 'inline' },
    files: files.slice(0, 1),
    act: (el) => reportFields(el),
  },
  'fields of a refused file': { attributes: { fields: FIELDS, 'max-size': 10 }, files: files },
  'right to left': { attributes: { locale: 'ar' }, files: files, storage: 'hang' },
};

const isWaiting = (el: SvcUploader): boolean => el.uploads.some(({ state }) => state.status === 'waiting');

const readNote = (el: SvcUploader) => find(el, '[part=note]')?.textContent?.trim();

/** Presses Upload while required fields are empty. */
async function reportFields(el: SvcUploader): Promise<void> {
  const readErrors = () => readTexts(el, 'field-error').filter(Boolean);
  await until(() => find(el, '.primary') !== null);
  find(el, '.primary').click();
  await until(() => readErrors().length > 0);
  expect(readErrors()).to.include('Fill in this field.');
}

async function startUpload(el: SvcUploader): Promise<void> {
  await until(() => find(el, '.primary') !== null);
  find(el, '.primary').click();
  await until(() => el.matches(':state(uploading)'));
}

async function goOffline(el: SvcUploader): Promise<void> {
  await until(() => el.matches(':state(uploading)'));
  Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
  dispatchEvent(new Event('offline'));
  const readText = () => el.shadowRoot!.textContent!;
  await until(() => readText().includes('You’re offline. The upload continues when you reconnect.'));
  expect(el.matches(':state(offline)')).to.equal(true);
  expect(readText()).to.include('You’re offline. The upload continues when you reconnect.');
}

async function dragOver(el: SvcUploader): Promise<void> {
  const enter = new Event('dragenter', { bubbles: true, cancelable: true });
  el.dispatchEvent(Object.defineProperty(enter, 'dataTransfer', { value: { types: ['Files'] } }));
  await waitForPaint(el);
  expect(el.matches(':state(dragging)')).to.equal(true);
}

async function holdSubmit(el: SvcUploader): Promise<void> {
  const form = document.createElement('form');
  form.addEventListener('submit', (event) => event.preventDefault());
  el.before(form);
  form.append(el);
  await until(() => el.matches(':state(uploading)'));
  form.requestSubmit();
  await until(() => readNote(el) !== undefined);
  expect(readNote(el)).to.equal('Your form will be sent when the files are uploaded.');
}

/** Chooses photos whose preparation never ends. */
async function choosePhotos(el: SvcUploader): Promise<void> {
  const canvas = Object.assign(document.createElement('canvas'), { width: 100, height: 100 });
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  Object.assign(globalThis, { createImageBitmap: () => new Promise(() => {}) });
  void el.addFiles([new File([blob!], 'a.png', { type: 'image/png' })]);
  await until(() => readNote(el) !== undefined);
  expect(readNote(el)).to.equal('Preparing');
}

/** Returns the move buttons, which are loaded when there are rows to move. */
async function waitForMoveButtons(el: SvcUploader): Promise<HTMLElement[]> {
  const grips = () => [...el.shadowRoot!.querySelectorAll<HTMLElement>('[part=move-button]')];
  await until(() => grips().length > 0);
  return grips();
}

async function addPageLabel(el: SvcUploader): Promise<void> {
  const label = document.createElement('label');
  label.textContent = 'Attachments';
  label.htmlFor = el.id = 'labelled';
  el.before(label);
  el.requestUpdate();
  await el.updateComplete;
}

async function findViolations(): Promise<string[]> {
  const rules = {
    region: { enabled: false },
    'page-has-heading-one': { enabled: false },
    'landmark-one-main': { enabled: false },
  };
  const result = await axe.run(document.body, { rules });
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

describe('accessibility', () => {
  const { createImageBitmap } = globalThis;
  afterEach(() => {
    Object.assign(globalThis, { createImageBitmap });
    if (Reflect.deleteProperty(navigator, 'onLine') && !navigator.onLine) expect.fail('the browser is offline');
    removeAll();
    document.documentElement.removeAttribute('style');
  });

  for (const [name, { attributes, storage, files = [], act }] of Object.entries(SCENES))
    it(`has no violations: ${name}`, async function () {
      this.timeout(60_000);
      const el = await createUploader({ ...named, ...attributes }, { storage: storage ?? 'store' });
      const adding = el.addFiles(files);
      await act?.(el);
      await adding;
      await waitForPaint(el);
      expect(await findViolations()).to.deep.equal([]);
    });

  it('has enough contrast on a dark page as well', async () => {
    document.documentElement.style.cssText = 'background: #16181d; color: #e6e6e6';
    const el = await createUploader({ ...named, 'max-size': 400_000 }, { storage: 'hang' });
    await el.addFiles(files);
    await waitForPaint(el);
    expect(await findViolations()).to.deep.equal([]);
  });

  it('names the button by the label and describes it by the hint', async () => {
    const el = await createUploader(named);
    const button = find(el, '[part="file-selector-button"]');
    expect(button.getAttribute('aria-label')).to.equal('Attachments: Choose files');
    const described = el.shadowRoot!.getElementById(button.getAttribute('aria-describedby')!.split(' ')[0]!);
    expect(described!.textContent!.trim()).to.equal('PDF or PNG');
  });

  it('announces a summary in one polite sentence, however many files there are', async () => {
    const el = await createUploader({ multiple: true, 'max-size': 100 });
    const region = find(el, '[role="status"]');
    const announcements: string[] = [];
    new MutationObserver(() => announcements.push(region.textContent!)).observe(region, {
      childList: true,
      characterData: true,
      subtree: true,
    });
    const complete = once(el, 'svc-complete');
    await el.addFiles(Array.from({ length: 80 }, (_, index) => createFile(`${index}.txt`)));
    await complete;
    const waitForAnnouncement = async (part: string) => {
      await until(() => announcements.join(' ').includes(part));
      return announcements.join(' ');
    };
    expect(await waitForAnnouncement('uploaded')).to.equal('80 files added. 80 files uploaded.');
    expect(announcements.length).to.be.at.most(2);
    await el.addFiles([createFile('large.txt', 200)]);
    expect(await waitForAnnouncement('large')).to.include(
      'large.txt: This file is larger than 100 bytes. Choose a smaller file.',
    );
  });

  it('keeps the focus when the focused button is removed', async () => {
    const el = await createUploader({ ...named, manual: true, 'max-files': 2 }, { storage: 'refuse/FILE_EXISTS/409' });
    // A file is refused only after its content was read.
    let grant = (_token: string): void => {};
    const token = new Promise<string>((resolve) => (grant = resolve));
    el.tokenProvider = () => token;
    const readFocusedPart = () => el.shadowRoot!.activeElement?.getAttribute('part');
    const press = async (text: string) => {
      const button = [...el.shadowRoot!.querySelectorAll('button')].find((one) => one.textContent!.trim() === text)!;
      button.focus();
      button.click();
      await waitForPaint(el);
      await waitForPaint(el);
    };
    find(el, '.pick').focus();
    await el.addFiles(files);
    await waitForPaint(el);
    // The full element accepts no files, and its button no focus.
    expect(readFocusedPart()).to.equal('list');
    const complete = once(el, 'svc-complete');
    await press('Upload');
    expect(el.shadowRoot!.activeElement?.textContent!.trim(), 'which stands in its place').to.equal('Pause');
    grant('svcup_test');
    await complete;
    await waitForPaint(el);
    await waitForPaint(el);
    expect(readFocusedPart()).to.equal('list');
    await press('Remove');
    expect(readFocusedPart()).to.equal('file-selector-button');
  });

  it('counts down to the next attempt, and can start it at once', async function () {
    this.timeout(20_000);
    const { random } = Math;
    // The longest delays before a retry are half a second, one and two seconds.
    Math.random = () => 0.999;
    const el = await createUploader(named, { storage: 'refuse/SERVICE_UNAVAILABLE/503' });
    await el.addFiles([createFile('a.pdf')]);
    const attempt = () => {
      const { state } = el.uploads[0]!;
      return 'attempt' in state ? state.attempt : 0;
    };
    const status = () => readTexts(el, 'status')[0]!;
    const texts = new Set<string>();
    await until(() => {
      if (/in \d+ second/.test(status())) texts.add(status());
      return texts.size > 1;
    });
    Math.random = random;
    expect(texts.size).to.be.greaterThan(1);
    await until(() => find(el, '[part=retry-button]') !== null);
    const before = attempt();
    find(el, '[part=retry-button]').click();
    // Attempts before the success do not count any more.
    await until(() => attempt() < before);
    expect(attempt()).to.be.lessThan(before);
  });

  it('has a focusable button for every action', async () => {
    const el = await createUploader({ ...named, manual: true });
    await el.addFiles(files);
    await waitForPaint(el);
    const stops = [...el.shadowRoot!.querySelectorAll<HTMLElement>('button, [tabindex="0"]')].filter(
      ({ tabIndex }) => tabIndex === 0,
    );
    expect(stops.map((one) => one.getAttribute('aria-label') ?? one.textContent!.trim())).to.deep.equal([
      'Attachments: Choose files',
      'Upload',
      'Cancel',
      'Cancel a.pdf',
      'Cancel b.png',
    ]);
  });

  it('focuses the pick button when the last file is removed', async () => {
    const el = await createUploader(named, { storage: 'hang' });
    await el.addFiles(files.slice(0, 1));
    await waitForPaint(el);
    const remove = findRows(el)[0]!.querySelector<HTMLElement>('[part="remove-button"]')!;
    remove.focus();
    remove.click();
    await waitForPaint(el);
    expect(el.shadowRoot!.activeElement).to.equal(find(el, '[part="file-selector-button"]'));
    expect(readTexts(el, 'list')).to.deep.equal([]);
  });

  it('fits 280 px without scrolling sideways', async () => {
    const narrow = document.body.appendChild(document.createElement('div'));
    narrow.style.width = '280px';
    const el = await createUploader({ ...named, 'max-size': 1000 }, { parent: narrow, storage: 'hang' });
    await el.addFiles([
      createFile('a-very-long-name-that-cannot-fit-into-such-a-narrow-row.pdf', 500),
      createFile('too-large.pdf', 2000),
    ]);
    await waitForPaint(el);
    const root = find(el, '.root');
    expect(root.scrollWidth).to.be.at.most(280);
    for (const one of el.shadowRoot!.querySelectorAll<HTMLElement>('.row, .summary, .dropzone, .list'))
      expect(one.scrollWidth, one.className).to.be.at.most(one.clientWidth);
  });
});

import { expect } from 'chai';
import { createFile, find, once, waitForPaint, removeAll, readTexts, until, createUploader } from './fixture.js';

describe('svc-uploader', () => {
  afterEach(() => {
    removeAll();
    document.documentElement.removeAttribute('style');
  });

  it('skips a file if svc-file-add is canceled', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    el.addEventListener('svc-file-add', (event) => event.detail.file.name === 'b.txt' && event.preventDefault());
    await el.addFiles([createFile('a.txt'), createFile('b.txt')]);
    expect(el.files.map(({ name }) => name)).to.deep.equal(['a.txt']);
  });

  it('reports the progress of a file by events', async () => {
    const el = await createUploader();
    const events: string[] = [];
    for (const type of [
      'svc-file-add',
      'svc-upload-start',
      'svc-upload-progress',
      'svc-upload-success',
      'input',
      'change',
      'svc-complete',
    ] as const)
      document.body.addEventListener(type, ({ type }) => events.at(-1) !== type && events.push(type));
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.txt', 400_000)]);
    await complete;
    const order = ['svc-file-add', 'svc-upload-start', 'svc-upload-progress', 'svc-upload-success', 'svc-complete'];
    expect(events.filter((type) => order.includes(type))).to.deep.equal(order);
    expect(events).to.include.members(['input', 'change']);
  });

  it('has every state that applies, and no other', async () => {
    const el = await createUploader({ multiple: true, 'max-files': 2, 'max-size': 100 }, { storage: 'hang' });
    const states = () =>
      ['dragging', 'uploading', 'paused', 'complete', 'error', 'offline', 'empty', 'max-files'].filter((one) =>
        el.matches(`:state(${one})`),
      );
    expect(states()).to.deep.equal(['empty']);
    await el.addFiles([createFile('a.txt'), createFile('b.txt'), createFile('c.txt', 200)]);
    await waitForPaint(el);
    expect(states()).to.deep.equal(['uploading', 'error', 'max-files']);
    el.pause();
    await waitForPaint(el);
    expect(states()).to.include('paused');
    el.clear();
    await waitForPaint(el);
    expect(states()).to.deep.equal(['empty']);
  });

  it('fires svc-upload-start once per file, however often it is retried', async () => {
    const el = await createUploader({}, { storage: 'hang' });
    let starts = 0;
    el.addEventListener('svc-upload-start', () => (starts += 1));
    await el.addFiles([createFile('a.txt')]);
    await until(() => starts > 0);
    el.pause();
    await waitForPaint(el);
    el.resume();
    await until(() => el.uploads[0]!.state.status === 'uploading');
    expect(starts).to.equal(1);
    el.clear();
    el.endpoint = `${location.origin}/storage/refuse/FILE_EXISTS/409`;
    let complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.txt')]);
    await complete;
    expect(starts).to.equal(2);
    complete = once(el, 'svc-complete');
    el.retry(el.uploads[0]!.id);
    await complete;
    // The person retried it.
    expect(starts).to.equal(3);
  });

  it('shows an error after the page reported it, until it is fixed or the form is reset', async () => {
    const form = document.createElement('form');
    document.body.append(form);
    const el = await createUploader({ required: true, name: 'cv' }, { parent: form });
    const shown = () => el.matches(':state(user-invalid)');
    expect(el.checkValidity()).to.equal(false);
    expect(shown()).to.equal(false);
    form.requestSubmit();
    expect(shown()).to.equal(true);
    form.reset();
    expect(shown()).to.equal(false);
    el.reportValidity();
    expect(shown()).to.equal(true);
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.pdf', 300_000)]);
    await complete;
    await waitForPaint(el);
    expect(shown()).to.equal(false);
  });

  it('can pause a single large file', async () => {
    const el = await createUploader({}, { storage: 'hang' });
    await el.addFiles([createFile('small.bin', 100)]);
    await waitForPaint(el);
    expect(find(el, '[part=summary]')).to.equal(null);
    await el.addFiles([createFile('large.bin', 20_000_000)]);
    await waitForPaint(el);
    find<HTMLButtonElement>(el, '[part=summary] button').click();
    await waitForPaint(el);
    expect(el.matches(':state(paused)')).to.equal(true);
  });

  it('announces the same text a second time', async () => {
    const el = await createUploader({ 'allowed-extensions': 'pdf' });
    const readAnnouncement = () => find(el, '[role=status]').textContent!.trim();
    const announcements: string[] = [];
    const watch = new MutationObserver(() => announcements.push(readAnnouncement()));
    watch.observe(el.shadowRoot!, { subtree: true, characterData: true, childList: true });
    for (const times of [1, 2]) {
      await el.addFiles([createFile('a.exe')]);
      await until(() => announcements.filter((text) => text.startsWith('a.exe')).length >= times);
    }
    watch.disconnect();
    expect(announcements.filter((text) => text.startsWith('a.exe')).length).to.be.greaterThan(1);
  });

  it('replaces a single file by a new choice', async () => {
    const el = await createUploader({}, { storage: 'hang' });
    await el.addFiles([createFile('a.txt')]);
    await el.addFiles([createFile('b.txt')]);
    expect(el.uploads.map(({ name }) => name)).to.deep.equal(['b.txt']);
  });

  it('removes refused files at a new choice', async () => {
    const el = await createUploader({ multiple: true, manual: true, 'max-size': 100 });
    await el.addFiles([createFile('large.txt', 200), createFile('a.txt')]);
    expect(el.uploads.length).to.equal(2);
    await el.addFiles([createFile('b.txt', 20)]);
    expect(el.uploads.map(({ name }) => name)).to.deep.equal(['a.txt', 'b.txt']);
  });

  it('uploads a manual choice only when upload() is called', async () => {
    const el = await createUploader({ manual: true });
    let started = false;
    el.addEventListener('svc-upload-start', () => (started = true));
    await el.addFiles([createFile('a.txt', 400_000)]);
    await waitForPaint(el);
    expect(started).to.equal(false);
    const complete = once(el, 'svc-complete');
    el.upload();
    await complete;
    expect(el.value).to.equal('docs/a.txt');
    el.value = '';
    expect(el.uploads).to.deep.equal([]);
  });

  it('uses the accent color of the page, also after a change of theme', async () => {
    document.documentElement.style.accentColor = 'rgb(1, 2, 3)';
    const el = await createUploader();
    const accent = () => getComputedStyle(find(el, '.root')).getPropertyValue('--_accent');
    for (let turn = 0; turn < 50 && !accent().includes('1, 2, 3'); turn += 1) await waitForPaint(el);
    expect(accent()).to.include('rgb(1, 2, 3)');
    document.documentElement.style.accentColor = 'rgb(4, 5, 6)';
    for (let turn = 0; turn < 50 && !accent().includes('4, 5, 6'); turn += 1) await waitForPaint(el);
    expect(accent()).to.include('rgb(4, 5, 6)');
  });

  it('is a button in a narrow container', async () => {
    const narrow = document.body.appendChild(document.createElement('div'));
    narrow.style.width = '340px';
    const el = await createUploader({ multiple: true }, { parent: narrow });
    expect(getComputedStyle(find(el, '.drop-words')).display).to.equal('none');
    narrow.style.width = '400px';
    expect(getComputedStyle(find(el, '.drop-words')).display).to.not.equal('none');
    narrow.style.width = '280px';
    el.maxFiles = 1;
    await el.addFiles([createFile()]);
    await waitForPaint(el);
    expect(getComputedStyle(find(el, '.drop-words')).display, 'why the button is off').to.not.equal('none');
  });

  it('shows the extension of a name that does not fit', async () => {
    const narrow = document.body.appendChild(document.createElement('div'));
    narrow.style.width = '300px';
    const el = await createUploader({ manual: true }, { parent: narrow });
    await el.addFiles([createFile('a name that is much too long to fit into the row that it stands in.tar.gz')]);
    await waitForPaint(el);
    const tail = find(el, '.tail');
    expect(tail.dataset['text']).to.equal('s in.tar.gz');
    expect(tail.getBoundingClientRect().right).to.be.at.most(find(el, '.words').getBoundingClientRect().right + 1);
    expect(readTexts(el, 'name')[0], 'whole for screen readers').to.include('a name that is much');
  });

  it('has a width in a container that shrinks to fit, and does not overflow a narrow one', async () => {
    const dialog = document.body.appendChild(document.createElement('dialog'));
    const el = await createUploader({}, { parent: dialog });
    dialog.showModal();
    await waitForPaint(el);
    expect(el.getBoundingClientRect().width).to.be.at.least(Math.min(384, innerWidth * 0.8) - 1);
    dialog.style.maxWidth = '260px';
    expect(dialog.scrollWidth).to.equal(dialog.clientWidth);
    dialog.remove();
  });

  it('stops sending when it is removed from the page, and continues when it comes back', async () => {
    const el = await createUploader({}, { storage: 'slow' });
    await el.addFiles([createFile('a.txt', 400_000)]);
    el.remove();
    await Promise.resolve();
    expect(el.uploads[0]!.state.status).to.equal('paused');
    const complete = once(el, 'svc-complete');
    document.body.append(el);
    await complete;
    expect(el.value).to.equal('docs/a.txt');
  });

  it('continues without a pause when it is moved', async () => {
    const el = await createUploader({}, { storage: 'slow' });
    await el.addFiles([createFile('a.txt', 400_000)]);
    const seen: string[] = [];
    el.addEventListener('svc-upload-start', () => seen.push('start'));
    const complete = once(el, 'svc-complete');
    document.body.appendChild(document.createElement('section')).append(el);
    await complete;
    expect(el.value).to.equal('docs/a.txt');
    expect(seen.length).to.be.at.most(1);
  });

  it('opens the picker for a click on its label, and for click()', async () => {
    const el = await createUploader({ id: 'labelled' });
    const label = document.body.appendChild(document.createElement('label'));
    label.htmlFor = 'labelled';
    let opened = 0;
    find<HTMLInputElement>(el, 'input').addEventListener('click', (event) => {
      event.preventDefault();
      opened += 1;
    });
    label.click();
    el.click();
    find(el, '[part="file-selector-button"]').click();
    expect(opened).to.equal(3);
    el.disabled = true;
    el.click();
    expect(opened).to.equal(3);
  });
});

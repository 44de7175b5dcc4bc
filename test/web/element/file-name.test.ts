import { expect } from 'chai';
import type { TokenRequest } from '../../../src/element/index.js';
import { createFile, find, once, waitForPaint, removeAll, findRows, readTexts, until, createUploader } from './fixture.js';

const createFileInFolder = (path: string) =>
  Object.defineProperty(createFile(path.split('/').at(-1)), 'webkitRelativePath', { value: path }) as File;

describe('the name of a file', () => {
  afterEach(removeAll);

  it('keeps its backslash, which Chromium replaces in the path of a picked folder', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    const fileWithBackslash = Object.defineProperty(createFile('back\\slash.txt'), 'webkitRelativePath', {
      value: 'odd/back/slash.txt',
    });
    await el.addFiles([fileWithBackslash, createFile('a\\b.txt')]);
    expect(el.uploads.map(({ relativePath }) => relativePath)).to.deep.equal(['odd/back\\slash.txt', '']);
  });

  it('is preceded by its path in a chosen folder', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles([createFileInFolder('a/readme.txt'), createFileInFolder('b/c/readme.txt'), createFile('readme.txt')]);
    await waitForPaint(el);
    const paths = ['a/readme.txt', 'b/c/readme.txt', 'readme.txt'];
    expect(readTexts(el, 'name')).to.deep.equal(paths);
    expect(findRows(el).map((row) => row.querySelector('[part=name]')!.getAttribute('title'))).to.deep.equal(paths);
    const labels = [...el.shadowRoot!.querySelectorAll('[part=remove-button]')].map((one) => one.getAttribute('aria-label'));
    expect(labels).to.deep.equal(paths.map((name) => `Cancel ${name}`));
  });

  it('is one text for screen readers and copying, and shows its extension if it is too long', async () => {
    const parent = document.body.appendChild(document.createElement('div'));
    parent.style.width = '280px';
    const el = await createUploader({ multiple: true, manual: true }, { parent });
    const long = `a-report-that-is-much-${'too-'.repeat(10)}long.pdf`;
    await el.addFiles([createFile('report.pdf'), createFile(long)]);
    await waitForPaint(el);
    const names = findRows(el).map((row) => row.querySelector<HTMLElement>('[part=name]')!);
    expect(names.map(({ innerText }) => innerText.trim())).to.deep.equal(['report.pdf', long]);
    for (const [index, name] of names.entries()) {
      const exposedSpans = [...name.querySelectorAll('span')].filter(
        (one) => !one.closest('[aria-hidden]') && one.children.length === 0,
      );
      expect(exposedSpans.map(({ textContent }) => textContent)).to.deep.equal([['report.pdf', long][index]]);
    }
    const drawn = (selector: string) => names.map((name) => name.querySelector<HTMLElement>(selector)!);
    expect(drawn('.tail').map(({ dataset }) => dataset['text'])).to.deep.equal(['port.pdf', 'long.pdf']);
    expect(drawn('.head').map((one) => one.scrollWidth > one.clientWidth)).to.deep.equal([false, true]);
    for (const tail of drawn('.tail')) expect(tail.getBoundingClientRect().width).to.be.greaterThan(30);
  });

  it('stays visible after a long folder path', async () => {
    const parent = document.body.appendChild(document.createElement('div'));
    parent.style.width = '280px';
    const el = await createUploader({ multiple: true, manual: true }, { parent });
    await el.addFiles([createFileInFolder(`${'a-very-long-folder/'.repeat(4)}${'name'.repeat(20)}.pdf`)]);
    await waitForPaint(el);
    const width = (selector: string) => find(el, selector).getBoundingClientRect().width;
    expect(width('.path .muted')).to.be.greaterThan(20);
    expect(width('.path .name')).to.be.greaterThan(60);
    expect(find(el, '[part=name]').scrollWidth).to.equal(find(el, '[part=name]').clientWidth);
  });

  it('is sent with its path in token requests', async () => {
    const el = await createUploader({ multiple: true, token: false });
    const requestedFiles: TokenRequest['files'][] = [];
    el.tokenProvider = ({ files }) => {
      requestedFiles.push(files);
      return Promise.resolve('svcup_test');
    };
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFileInFolder('a/readme.txt'), createFile('b.txt')]);
    await complete;
    expect(requestedFiles[0]).to.deep.equal([
      { name: 'readme.txt', size: 10, type: '', path: 'a/readme.txt' },
      { name: 'b.txt', size: 10, type: '' },
    ]);
  });

  it('is shown without direction marks', async () => {
    const el = await createUploader({ manual: true });
    await el.addFiles([createFile('\u200eWhatsApp \u200f1\u061c.jpg')]);
    await waitForPaint(el);
    expect(readTexts(el, 'name')).to.deep.equal(['WhatsApp 1.jpg']);
    expect(find(el, '[part=name]').title).to.equal('WhatsApp 1.jpg');
    expect(el.files[0]!.name, 'what is sent').to.equal('\u200eWhatsApp \u200f1\u061c.jpg');
  });

  it('is shown and announced with line breaks and reordering characters replaced', async () => {
    const el = await createUploader({ multiple: true, 'max-size': 100 });
    await el.addFiles([createFile('photo\u202egnp.exe', 200), createFile('line\nbreak\u2028\u0007.pdf', 300)]);
    await waitForPaint(el);
    const drawn = ['photo\ufffdgnp.exe', 'line\ufffdbreak\ufffd\ufffd.pdf'];
    expect(readTexts(el, 'name')).to.deep.equal(drawn);
    expect(new Set(findRows(el).map(({ offsetHeight }) => offsetHeight >> 2)).size, 'heights').to.equal(1);
    const names = (attribute: string) =>
      Array.from(el.shadowRoot!.querySelectorAll(`[part=file] [${attribute}]`), (one) => one.getAttribute(attribute)).join('');
    expect(names('aria-label'))
      .to.include(drawn[0])
      .and.not.match(/[\u202e\n]/);
    expect(names('title'))
      .to.include(drawn[0])
      .and.not.match(/[\u202e\n]/);
    const announcement = () => find(el, '[role=status]').textContent;
    await until(() => announcement().includes(drawn[1]!));
    expect(announcement()).to.include(drawn[1]);
  });
});

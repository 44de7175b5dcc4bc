import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { BlobError } from '../../../src/protocol/errors.js';
import { createFile, find, waitForPaint, removeAll, readTexts, createUploader, until } from './fixture.js';

const readButtonText = (el: SvcUploader) => find(el, '[part=file-selector-button]').textContent.trim();
const findRoot = (el: SvcUploader) => find(el, '.root');

/** Waits until the button has a text. Languages other than English are loaded first. */
async function expectButtonText(el: SvcUploader, text: string): Promise<void> {
  while (readButtonText(el) !== text) await waitForPaint(el);
  expect(readButtonText(el)).to.equal(text);
}

describe('language', () => {
  const { lang } = document.documentElement;
  afterEach(() => {
    removeAll();
    document.documentElement.lang = lang;
  });

  it('is that of the locale attribute, with its direction, plural forms and units', async () => {
    const el = await createUploader({ locale: 'ar', multiple: true, 'max-files': 2, 'max-size': '10MB' });
    await expectButtonText(el, 'اختيار ملفات');
    expect(findRoot(el).dir).to.equal('rtl');
    expect(findRoot(el).lang).to.equal('ar');
    expect(readTexts(el, 'hint')[0]).to.include('ملفان على الأكثر').and.include('، ');
    expect(getComputedStyle(find(el, '[part=hint]')).direction).to.equal('rtl');

    el.locale = 'fr';
    await expectButtonText(el, 'Choisir des fichiers');
    expect(findRoot(el).dir).to.equal('ltr');
    expect(readTexts(el, 'hint')[0]).to.match(/^Jusqu’à 10\sMo, 2 fichiers au plus$/);
  });

  it('is that of the nearest lang attribute, and follows its changes', async () => {
    document.documentElement.lang = 'de';
    const el = await createUploader();
    await expectButtonText(el, 'Datei auswählen');
    document.documentElement.lang = 'zh-TW';
    await expectButtonText(el, '選擇檔案');
    document.documentElement.lang = 'en';
    await expectButtonText(el, 'Choose a file');
  });

  it('takes the texts for errors that the page has, in every language', async () => {
    document.documentElement.lang = 'de';
    const el = await createUploader({ multiple: true });
    await expectButtonText(el, 'Dateien auswählen');
    el.transport = {
      send: ({ name }) => Promise.reject(new BlobError(name === 'a.txt' ? 'STORAGE_FULL' : 'FILE_EXISTS', '', { status: 507 })),
    };
    await el.addFiles([createFile('a.txt'), createFile('b.txt')]);
    const errors = () => readTexts(el, 'error');
    await until(() => errors().length === 2);
    const [full, other] = errors();
    expect(full).to.include('Speicher ist voll');
    el.errorTexts = { STORAGE_FULL: 'Lösche <b>alte</b> Dateien.' };
    await waitForPaint(el);
    expect(errors()).to.deep.equal(['Lösche <b>alte</b> Dateien.', other]);
    el.locale = 'fr';
    await expectButtonText(el, 'Choisir des fichiers');
    expect(errors()[0]).to.equal('Lösche <b>alte</b> Dateien.');
    el.errorTexts = null;
    await waitForPaint(el);
    expect(errors()[0]).to.include('stockage');
  });

  it('is found across shadow roots', async () => {
    const holder = document.body.appendChild(document.createElement('div'));
    holder.lang = 'pt-BR';
    const shadow = holder.attachShadow({ mode: 'open' });
    const el = await createUploader({}, { parent: shadow.appendChild(document.createElement('p')) });
    await expectButtonText(el, 'Escolher arquivo');
    holder.lang = 'fr';
    await expectButtonText(el, 'Choisir un fichier');
  });

  it('follows every element around it', async () => {
    const wrapper = document.body.appendChild(document.createElement('section'));
    wrapper.lang = 'de';
    const el = await createUploader({}, { parent: wrapper.appendChild(document.createElement('p')) });
    await expectButtonText(el, 'Datei auswählen');
    wrapper.lang = 'fr';
    await expectButtonText(el, 'Choisir un fichier');
    wrapper.removeAttribute('lang');
    await expectButtonText(el, 'Choose a file');
  });

  it('is the one set last, in whatever order languages load', async () => {
    const el = await createUploader({ locale: 'uk' });
    el.locale = 'sv';
    await el.updateComplete;
    el.locale = 'tr';
    await expectButtonText(el, 'Dosya seç');
    await waitForPaint(el);
    expect(findRoot(el).lang).to.equal('tr');
  });

  it('is English if there is no translation', async () => {
    const el = await createUploader({ locale: 'tlh' });
    await waitForPaint(el);
    expect(readButtonText(el)).to.equal('Choose a file');
    expect(findRoot(el).lang).to.equal('en-US');
  });

  it('applies to the messages of the form as well', async () => {
    const el = await createUploader({ locale: 'es', required: true, 'max-size': '1kB' });
    await expectButtonText(el, 'Elegir archivo');
    expect(el.validationMessage).to.equal('Elige un archivo.');
    const refused = new Promise<string>((resolve) =>
      el.addEventListener('svc-file-reject', ({ detail }) => resolve(detail.message)),
    );
    await el.addFiles([createFile('a.pdf', 2000)]);
    expect(await refused).to.match(/^Este archivo ocupa más de 1\skB. Elige un archivo más pequeño.$/);
  });
});

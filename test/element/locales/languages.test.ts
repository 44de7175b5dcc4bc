import { describe, expect, it } from 'vitest';
import { enUsEditor } from '../../../src/element/locales/en-us-editor.js';
import { enUsFiles } from '../../../src/element/locales/en-us-files.js';
import { enUsSources } from '../../../src/element/locales/en-us-sources.js';
import { enUs as firstTexts } from '../../../src/element/locales/en-us.js';
import { LANGUAGES, findLanguage } from '../../../src/element/locales/languages.js';
import { Localizer } from '../../../src/element/locales/localizer.js';
import type { Messages, PluralForms } from '../../../src/element/locales/localizer.js';
import { LINK_ERRORS } from '../../../src/element/sources/link-errors.js';

const enUs = { ...enUsSources, ...enUsEditor, ...enUsFiles, ...firstTexts };
const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!).sort();
const all = Object.entries(LANGUAGES) as [string, () => Promise<{ default: Messages }>][];

const keys = Object.keys(enUs) as (keyof Messages)[];
const linkErrors = new Set<string>(LINK_ERRORS.values());
const isSourceError = (key: string) => key in enUsSources && (/^(camera|microphone|recording)./.test(key) || linkErrors.has(key));

/** The texts of files, forms, devices and links that failed. A file that is in the list already needs no action. */
const ERRORS = keys.filter(
  (key, index) => (index >= keys.indexOf('busy') && key !== 'duplicate' && key !== 'notStarted') || isSourceError(key),
);

/** How many whole numbers a category stands for; only a form for exactly one of them may leave the number out. */
function numbersIn(locale: string, category: string): number {
  const rules = new Intl.PluralRules(locale);
  return Array.from({ length: 1000 }, (_, n) => rules.select(n)).filter((one) => one === category).length;
}

describe.each(all)('%s', (locale, load) => {
  it('has every key of the English pattern and no other', async () => {
    expect(Object.keys((await load()).default).sort()).toEqual(Object.keys(enUs).sort());
  });

  it('has every plural form that its language uses', async () => {
    const { default: messages } = await load();
    const asked = [...new Intl.PluralRules(locale).resolvedOptions().pluralCategories].sort();
    for (const [key, message] of Object.entries(messages) as [string, string | PluralForms][])
      if (typeof message !== 'string') expect(Object.keys(message).sort(), key).toEqual(asked);
  });

  it('has every placeholder of the English text', async () => {
    const { default: messages } = await load();
    for (const [key, message] of Object.entries(messages) as [keyof Messages, string | PluralForms][]) {
      const english: string | PluralForms = enUs[key];
      if (typeof message === 'string') {
        expect(placeholders(message), key).toEqual(placeholders(String(english)));
        continue;
      }
      for (const [category, text] of Object.entries(message)) {
        const wanted = numbersIn(locale, category) === 1 && !text.includes('{count}') ? [] : ['count'];
        expect(placeholders(text), `${key}.${category}`).toEqual(wanted);
      }
    }
  });

  it('is translated, without double or surrounding blanks', async () => {
    const { default: messages } = await load();
    const texts = Object.entries(messages).flatMap(([key, one]) =>
      key === 'listSeparator' ? [] : typeof one === 'string' ? [one] : Object.values(one),
    );
    for (const text of texts) expect(text).toMatch(/^\S+( \S+)*$/);
    const international = /^(Camera|Photo|Video|Zoom)$/;
    const english = new Set<string>(Object.values(enUs).flatMap((one) => (typeof one === 'string' ? [one] : Object.values(one))));
    expect(
      texts.filter((text) => english.has(text) && !international.test(text) && /[a-z]{2}/i.test(text.replace(/\{\w+\}/g, '')))
        .length,
    ).toBeLessThan(3);
  });
});

describe.each([['en', () => Promise.resolve({ default: enUs })], ...all] as typeof all)('%s', (locale, load) => {
  it('has curly apostrophes, no exclamation marks, and ellipses of one character', async () => {
    const { default: messages } = await load();
    for (const text of Object.values(messages).flatMap((one) => (typeof one === 'string' ? [one] : Object.values(one))))
      expect(text).not.toMatch(/['"!！¡]|\.\.\./);
  });

  // Thai has no full stop.
  it.skipIf(locale === 'th')('says in each error what happened and what to do', async () => {
    const { default: messages } = await load();
    for (const key of ERRORS) {
      const message = messages[key];
      for (const text of typeof message === 'string' ? [message] : Object.values(message))
        expect(text.match(/[.。।]/g), `${key}: ${text}`).toHaveLength(2);
    }
  });
});

describe('the language of a reader', () => {
  it.each([
    ['pt', 'pt'],
    ['pt-BR', 'pt'],
    ['pt-PT', 'pt-PT'],
    ['pt-AO', 'pt-PT'],
    ['es-419', 'es'],
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh-SG', 'zh-Hans'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['zh-Hant-CN', 'zh-Hant'],
    ['no', 'nb'],
    ['nn-NO', 'nb'],
    [Intl.getCanonicalLocales('iw')[0]!, 'he'],
    ['ar-EG', 'ar'],
  ] as const)('%s reads %s', (locale, language) => {
    expect(findLanguage(locale)).toBe(LANGUAGES[language]);
  });

  it('is undefined without a translation', () => {
    expect(findLanguage('tlh')).toBeUndefined();
    expect(findLanguage('gsw-CH')).toBeUndefined();
  });
});

describe('texts with a number', () => {
  it('use the six plural forms of Arabic', async () => {
    const words = new Localizer('ar', (await LANGUAGES.ar()).default);
    const said = [0, 1, 2, 3, 11, 100].map((count) => words.text('filesUploaded', { count }));
    expect(said).toEqual([
      'لم يُرفع أي ملف',
      'تم رفع ملف واحد',
      'تم رفع ملفين',
      'تم رفع 3 ملفات',
      'تم رفع 11 ملفًا',
      'تم رفع 100 ملف',
    ]);
  });

  it('use the plural forms of Polish, and its thousands separator', async () => {
    const words = new Localizer('pl', (await LANGUAGES.pl()).default);
    expect([1, 2, 5, 22, 12_345].map((count) => words.text('filesUploaded', { count }))).toEqual([
      'Przesłano 1 plik',
      'Przesłano 2 pliki',
      'Przesłano 5 plików',
      'Przesłano 22 pliki',
      'Przesłano 12\u00a0345 plików',
    ]);
  });

  it('use formats of the region with the texts of the language', async () => {
    const { default: messages } = await LANGUAGES.pt();
    expect(new Localizer('pt-BR', messages).text('doneOfTotal', { done: 1000, total: 2000 })).toBe('1.000 de 2.000');
    expect(new Localizer('fr', (await LANGUAGES.fr()).default).size(4_200_000)).toMatch(/^4,2\sMo$/);
  });
});

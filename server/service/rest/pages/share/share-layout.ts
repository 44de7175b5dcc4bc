import type { FastifyReply } from 'fastify';
import type { Language } from '../../../identity/users/user-fields.js';
import { TAGS } from '../form-page.js';
import { FORM_RULES } from '../form-style.js';
import { html, inlineElement, sendDocument } from '../html.js';
import type { Html, InlineElement } from '../html.js';
import { accentRules } from './accent.js';

const RULES = `.sheet{justify-content:flex-start}.sheet main{max-width:60rem}header{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem 1.5rem;margin:0 0 1.25rem}header h1{margin:0;flex:1 1 14rem}
header .button{width:auto;flex:none;margin:0}.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 0}.actions .button{width:auto;margin:0}
.crumbs{margin:0 0 1rem;font-size:.9rem}.crumbs ol{display:flex;flex-wrap:wrap;gap:.25rem .4rem;list-style:none;margin:0;padding:0}.crumbs li{overflow-wrap:anywhere}.crumbs li+li::before{content:"/";color:var(--quiet);margin-inline-end:.4rem}
table{border-collapse:collapse;width:100%}th{font-size:.85rem;text-align:start;padding:0 .75rem .5rem 0;white-space:nowrap}th a{color:var(--quiet);text-decoration:none}th a:hover,th[aria-sort] a{color:var(--text);text-decoration:underline}
td{padding:0;border-top:1px solid color-mix(in srgb,var(--line) 30%,transparent)}td:first-child{width:100%}td a{display:flex;align-items:center;gap:.75rem;padding:.7rem .75rem .7rem 0;color:var(--text);text-decoration:none;overflow-wrap:anywhere;min-height:3rem}td a:hover span{text-decoration:underline}
.number{text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--quiet);font-size:.9rem}td.number{padding-inline-start:1rem}th.number{padding-inline-end:0;font-size:.85rem}.icon{width:1.5rem;height:1.5rem;flex:none;color:var(--quiet)}.icon.folder{color:var(--accent)}
.pages{display:flex;gap:1.5rem;margin:1.25rem 0 0}.preview{margin:0;display:grid;place-items:center;border-radius:.75rem;background:color-mix(in srgb,var(--text) 5%,transparent);overflow:hidden}.preview>*{max-width:100%}.preview img,.preview video{display:block;max-height:70vh}.preview audio{width:100%;padding:1.5rem}
.preview pre{width:100%;margin:0;padding:1rem 1.25rem;overflow:auto;max-height:70vh;font:.875rem/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}.preview .none{padding:3rem 1.5rem;margin:0;text-align:center;color:var(--quiet)}.none .icon{width:3rem;height:3rem;display:block;margin:0 auto .75rem}.meta{color:var(--quiet);font-size:.9rem;margin:.75rem 0 0}
@media(max-width:36rem){.date{display:none}header .button,.actions .button{width:100%}}`;

/** Returns the style of a share's pages, in its color. */
export const shareStyle = (accent: string | null): InlineElement =>
  inlineElement('style', FORM_RULES + RULES + (accent === null ? '' : accentRules(accent)));

/** A page of a share. */
export interface SharePage {
  language: Language;
  title: string;
  accent: string | null;
  body: Html;
  /** Further directives of the policy. */
  sources?: readonly string[];
}

/** Sends a page of a share. It has no script. Caches do not store it, and no page can frame it. */
export function sendSharePage(reply: FastifyReply, { language, title, accent, body, sources = [] }: SharePage): FastifyReply {
  return sendDocument(reply.header('Cache-Control', 'no-store'), {
    title,
    body: html`<body class="sheet">
      <main>${body}</main>
    </body>`,
    style: shareStyle(accent),
    sources,
    language: TAGS[language],
  });
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
/** Keeps formatters by language and unit. Creating one takes longer than formatting a hundred values, and a folder has many rows. */
function keepFormats<Format>(
  create: (language: Language, unit: string) => Format,
): (language: Language, unit?: string) => Format {
  const formats = new Map<string, Format>();
  return (language, unit = '') => {
    const key = `${language} ${unit}`;
    const format = formats.get(key) ?? create(language, unit);
    formats.set(key, format);
    return format;
  };
}

const sizeFormat = keepFormats((language, unit) => {
  const unitDisplay = unit === 'byte' ? 'long' : 'short';
  return new Intl.NumberFormat(TAGS[language], { style: 'unit', unit, unitDisplay, maximumSignificantDigits: 3 });
});
const dateFormat = keepFormats((language) => new Intl.DateTimeFormat(TAGS[language], { dateStyle: 'medium', timeZone: 'UTC' }));

/** Formats bytes with at most three digits and decimal units, as file managers do. */
export function formatSize(bytes: number, language: Language): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return sizeFormat(language, UNITS[power]).format(bytes / 1000 ** power);
}

export const formatDate = (time: number, language: Language): string => dateFormat(language).format(time);

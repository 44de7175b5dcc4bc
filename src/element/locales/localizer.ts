import type { enUsEditor } from './en-us-editor.js';
import type { enUsFiles } from './en-us-files.js';
import type { enUsSources } from './en-us-sources.js';
import type { enUs } from './en-us.js';

/** Texts by CLDR plural category. */
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

type English = typeof enUs & typeof enUsFiles & typeof enUsEditor & typeof enUsSources;

/** The texts of one language: every key of English, with plural forms where English has them. */
export type Messages = { readonly [K in keyof English]: English[K] extends string ? string : PluralForms };
export type MessageKey = keyof Messages;

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Texts and formats of one language. Formatters are slow to create, so each is created once. */
export class Localizer {
  readonly #formatters = new Map<string, unknown>();

  constructor(
    readonly locale: string,
    private readonly messages: Messages,
  ) {}

  /** Writing direction of the language. */
  get direction(): 'ltr' | 'rtl' {
    return /^(ar|he|fa|ur|ps|sd|ug|yi|dv|ckb)\b/.test(this.locale) ? 'rtl' : 'ltr';
  }

  /**
   * Returns a text with its placeholders replaced. `values.count` selects the plural form.
   */
  text(key: MessageKey, values: Readonly<Record<string, string | number>> = {}): string {
    const message = this.messages[key];
    const rules = () => this.cached('plural', () => new Intl.PluralRules(this.locale));
    const text = typeof message === 'string' ? message : (message[rules().select(Number(values['count']))] ?? message.other);
    return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? this.number(value) : (value ?? placeholder);
    });
  }

  number(value: number): string {
    return this.cached('number', () => new Intl.NumberFormat(this.locale)).format(value);
  }

  /** @param fraction between 0 and 1 */
  percent(fraction: number): string {
    return this.cached('percent', () => new Intl.NumberFormat(this.locale, { style: 'percent' })).format(
      Math.floor(fraction * 100) / 100,
    );
  }

  /** Formats a size such as `4.2 MB`, in decimal units as file managers use. */
  size(bytes: number): string {
    return this.#byteUnit(bytes, '');
  }

  /** Formats a speed such as `4.1 MB/s`. */
  speed(bytesPerSecond: number): string {
    return this.#byteUnit(bytesPerSecond, '-per-second');
  }

  /** Formats alternatives such as `PDF, PNG or JPEG`. */
  anyOf(parts: readonly string[]): string {
    return this.cached('or', () => new Intl.ListFormat(this.locale, { type: 'disjunction' })).format(parts);
  }

  #byteUnit(bytes: number, per: '' | '-per-second'): string {
    const power = bytes < 1000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
    const value = bytes / 1000 ** power;
    const unit = `${BYTE_UNITS[power]}${per}`;
    const digits = power > 0 && value < 10 ? 1 : 0;
    const create = () =>
      new Intl.NumberFormat(this.locale, {
        style: 'unit',
        unit,
        unitDisplay: power === 0 && per === '' ? 'long' : 'short',
        minimumFractionDigits: per === '' ? 0 : digits,
        maximumFractionDigits: digits,
      });
    return this.cached(`${unit}${digits}`, create).format(value);
  }

  /** Returns the formatter of a name, and creates it on first use. */
  cached<T>(key: string, create: () => T): T {
    const formatter = (this.#formatters.get(key) as T | undefined) ?? create();
    this.#formatters.set(key, formatter);
    return formatter;
  }
}

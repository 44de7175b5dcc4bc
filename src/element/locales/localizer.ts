import { enUs } from './en-us.js';

/** Forms by CLDR plural category; `other` is always there. */
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** What a locale file has to hold: every key, plural where English is. */
export type Messages = { readonly [K in keyof typeof enUs]: (typeof enUs)[K] extends string ? string : PluralForms };
export type MessageKey = keyof Messages;

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** The words and formats of one language. Formatters are dear to make, so each is made once. */
export class Localizer {
  readonly #formatters = new Map<string, unknown>();

  constructor(
    readonly locale: string,
    private readonly messages: Messages,
  ) {}

  /** `rtl` for the languages written so. */
  get direction(): 'ltr' | 'rtl' {
    return /^(ar|he|fa|ur|ps|sd|ug|yi|dv|ckb)\b/.test(this.locale) ? 'rtl' : 'ltr';
  }

  text(key: MessageKey, values: Readonly<Record<string, string | number>> = {}): string {
    const message = this.messages[key];
    const rules = () => this.#cached('plural', () => new Intl.PluralRules(this.locale));
    const text = typeof message === 'string' ? message : (message[rules().select(Number(values['count']))] ?? message.other);
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? this.number(value) : (value ?? whole);
    });
  }

  number(value: number): string {
    return this.#cached('number', () => new Intl.NumberFormat(this.locale)).format(value);
  }

  /** A share between 0 and 1. */
  percent(share: number): string {
    return this.#cached('percent', () => new Intl.NumberFormat(this.locale, { style: 'percent' })).format(
      Math.floor(share * 100) / 100,
    );
  }

  /** `4.2 MB`. Decimal units, as file managers and disks count. */
  size(bytes: number): string {
    return this.#unit(bytes, '');
  }

  /** `4.1 MB/s`. */
  speed(bytesPerSecond: number): string {
    return this.#unit(bytesPerSecond, '-per-second');
  }

  /** `2 minutes`, rounded as people say it. */
  duration(seconds: number): string {
    const [value, unit] =
      seconds < 60
        ? [Math.max(1, Math.round(seconds)), 'second']
        : seconds < 5400
          ? [Math.round(seconds / 60), 'minute']
          : [Math.round(seconds / 3600), 'hour'];
    return this.#cached(unit, () => new Intl.NumberFormat(this.locale, { style: 'unit', unit, unitDisplay: 'long' })).format(
      value,
    );
  }

  /** `in 5 seconds`. */
  inSeconds(seconds: number): string {
    return this.#cached('in', () => new Intl.RelativeTimeFormat(this.locale)).format(Math.max(1, Math.ceil(seconds)), 'second');
  }

  /** `PDF, PNG or JPEG`. */
  anyOf(parts: readonly string[]): string {
    return this.#cached('or', () => new Intl.ListFormat(this.locale, { type: 'disjunction' })).format(parts);
  }

  #unit(bytes: number, per: '' | '-per-second'): string {
    const power = bytes < 1000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
    const value = bytes / 1000 ** power;
    const unit = `${BYTE_UNITS[power]}${per}`;
    const digits = power > 0 && value < 10 ? 1 : 0;
    const make = () =>
      new Intl.NumberFormat(this.locale, {
        style: 'unit',
        unit,
        unitDisplay: power === 0 && per === '' ? 'long' : 'short',
        minimumFractionDigits: per === '' ? 0 : digits,
        maximumFractionDigits: digits,
      });
    return this.#cached(`${unit}${digits}`, make).format(value);
  }

  #cached<T>(key: string, make: () => T): T {
    const made = (this.#formatters.get(key) as T | undefined) ?? make();
    this.#formatters.set(key, made);
    return made;
  }
}

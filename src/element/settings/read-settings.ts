import type { ImageOptions } from '../../images/prepare-image.js';
import type { Limits, TokenProvider } from '../../queue/types.js';
import { readBaseAddress } from '../../protocol/base-address.js';
import type { Transport } from '../../protocol/transport.js';
import { readAccept, readChoice, readExtensions, readNumber, readSize } from './parse.js';
import type { SettingProblem, ReportProblem } from './problems.js';
import { tokenProblem } from '../../protocol/token-format.js';

export const APPEARANCES = ['dropzone', 'inline', 'button'] as const;
export type Appearance = (typeof APPEARANCES)[number];
const CAMERAS = ['user', 'environment'] as const;

/** What the page wrote, as it wrote it. */
export interface RawSettings {
  accept: string;
  multiple: boolean;
  webkitdirectory: boolean;
  capture: string;
  endpoint: string;
  token: string | null;
  tokenEndpoint: string;
  tokenProvider: TokenProvider | null;
  transport: Transport | null;
  maxSize: string | number | null;
  allowedExtensions: string | readonly string[] | null;
  maxFiles: string | number | null;
  maxTotalSize: string | number | null;
  allowEmpty: boolean;
  stripLocation: boolean;
  resizeMaxWidth: string | number | null;
  resizeMaxHeight: string | number | null;
  resizeQuality: string | number | null;
  concurrency: string | number | null;
  locale: string;
  appearance: string;
}

/** What it means. */
export interface Settings {
  limits: Limits;
  concurrency: number;
  appearance: Appearance;
  /** What is done to photos first; null: nothing. */
  imageOptions: ImageOptions | null;
  problems: SettingProblem[];
}

const DEFAULT_CONCURRENCY = 6;

/** Reads every attribute that has a form to keep. Pure: says what is wrong, changes nothing. */
export function readSettings(raw: RawSettings): Settings {
  const problems: SettingProblem[] = [];
  const report: ReportProblem = (attribute, value, rule) => void problems.push({ attribute, value: String(value), rule });
  const many = raw.multiple || raw.webkitdirectory;
  const maxFiles = readNumber('max-files', raw.maxFiles, { min: 1, max: 1_000_000 }, report);
  const limits: Limits = {
    maxSize: readSize('max-size', raw.maxSize, report),
    allowedExtensions: readExtensions('allowed-extensions', raw.allowedExtensions, report),
    accept: readAccept(raw.accept, report),
    maxFiles: many ? maxFiles : 1,
    maxTotalSize: readSize('max-total-size', raw.maxTotalSize, report),
    allowEmpty: raw.allowEmpty,
  };
  const concurrency = readNumber('concurrency', raw.concurrency, { min: 1, max: 50 }, report) ?? DEFAULT_CONCURRENCY;
  if (!many && maxFiles !== null && maxFiles > 1)
    problems.push({
      attribute: 'max-files',
      value: String(maxFiles),
      rule: 'Write "multiple" as well; without it one file is taken.',
      isHint: true,
    });
  const appearance = readChoice('appearance', raw.appearance, APPEARANCES, report);
  if (raw.capture !== '') readChoice('capture', raw.capture.toLowerCase(), CAMERAS, report);
  if (raw.endpoint !== '' && readBaseAddress(raw.endpoint) === undefined)
    report('endpoint', raw.endpoint, 'Write the absolute address of Blob Storage, such as "https://blob.example.com".');
  if (raw.tokenEndpoint !== '') readAddress('token-endpoint', raw.tokenEndpoint, report);
  if (raw.locale !== '') readLocale(raw.locale, report);
  const secret = raw.token ? tokenProblem(String(raw.token)) : undefined;
  if (secret !== undefined) report('token', '…', secret);
  if (raw.tokenProvider && typeof raw.tokenProvider !== 'function')
    report('tokenProvider', '…', 'Write a function that gives a token; the token itself goes into "token".');
  if (raw.transport && typeof raw.transport.send !== 'function')
    report('transport', '…', 'Write an object with a method "send".');
  if (raw.token && raw.endpoint === '' && !raw.tokenEndpoint && !raw.tokenProvider)
    report('endpoint', '', 'A token alone does not say where to upload: write the address of Blob Storage.');
  return { limits, concurrency, appearance, imageOptions: readImageOptions(raw, report), problems };
}

const PIXELS = { min: 1, max: 65_535 };
const SHARE = { min: 0, max: 1, whole: false };
const DEFAULT_QUALITY = 0.85;

function readImageOptions(raw: RawSettings, report: ReportProblem): ImageOptions | null {
  const maxWidth = readNumber('resize-max-width', raw.resizeMaxWidth, PIXELS, report);
  const maxHeight = readNumber('resize-max-height', raw.resizeMaxHeight, PIXELS, report);
  const quality = readNumber('resize-quality', raw.resizeQuality, SHARE, report) ?? DEFAULT_QUALITY;
  const resize = maxWidth === null && maxHeight === null ? null : { maxWidth, maxHeight, quality };
  return raw.stripLocation || resize ? { stripLocation: raw.stripLocation, resize } : null;
}

function readAddress(attribute: string, value: string, report: ReportProblem): void {
  // Relative addresses are fine; the base only makes them whole.
  const ok = URL.canParse(value, 'https://page.invalid/') && /^https?:$/.test(new URL(value, 'https://page.invalid/').protocol);
  if (!ok || !/\S/.test(value)) report(attribute, value, 'Write an http or https address.');
}

function readLocale(value: string, report: ReportProblem): void {
  try {
    Intl.getCanonicalLocales(value);
  } catch {
    report('locale', value, 'Write a language tag such as "en-US" or "pt-BR".');
  }
}

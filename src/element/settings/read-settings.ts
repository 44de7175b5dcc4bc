import type { ImageOptions } from '../../images/prepare-image.js';
import type { Limits, TokenProvider } from '../../queue/types.js';
import { readBaseAddress } from '../../protocol/base-address.js';
import type { Transport } from '../../protocol/transport.js';
import { readAccept, readChoice, readExtensions, readNumber, readSize } from './parse.js';
import type { SettingProblem, ReportProblem } from './problems.js';
import { findTokenProblem } from '../../protocol/token-format.js';

export const APPEARANCES = ['dropzone', 'grid', 'inline', 'button', 'avatar'] as const;
export type Appearance = (typeof APPEARANCES)[number];
const SHAPES = ['circle', 'square'] as const;
export type Shape = (typeof SHAPES)[number];
const REMOVALS = ['list', 'delete'] as const;
const FORMATS = ['jpeg', 'png', 'webp'] as const;
const CAMERAS = ['user', 'environment'] as const;

/** The attributes and properties as the page sets them. */
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
  resizeFormat: string;
  editFirst: boolean;
  concurrency: string | number | null;
  locale: string;
  appearance: string;
  shape: string;
  removal: string;
}

/** The parsed settings. */
export interface Settings {
  limits: Limits;
  concurrency: number;
  appearance: Appearance;
  /** Shape of an avatar. */
  shape: Shape;
  /** Removing an uploaded file deletes it. */
  deletesFiles: boolean;
  /** Changes to images before the upload; null for none. */
  imageOptions: ImageOptions | null;
  problems: SettingProblem[];
}

const DEFAULT_CONCURRENCY = 6;

/** Parses every attribute that has a format. Pure: invalid values are returned as `problems`. */
export function readSettings(raw: RawSettings): Settings {
  const problems: SettingProblem[] = [];
  const report: ReportProblem = (attribute, value, rule) => void problems.push({ attribute, value: String(value), rule });
  const appearance = readChoice('appearance', raw.appearance, APPEARANCES, report);
  const isAvatar = appearance === 'avatar';
  const acceptsMultiple = (raw.multiple || raw.webkitdirectory) && !isAvatar;
  const maxFiles = readNumber('max-files', raw.maxFiles, { min: 1, max: 1_000_000 }, report);
  const limits = { ...readFileLimits(raw, report), maxFiles: acceptsMultiple ? maxFiles : 1 };
  if (isAvatar && limits.allowedExtensions === null) limits.accept ??= ['image/*'];
  const concurrency = readNumber('concurrency', raw.concurrency, { min: 1, max: 50 }, report) ?? DEFAULT_CONCURRENCY;
  if (!acceptsMultiple && maxFiles !== null && maxFiles > 1) problems.push(maxFilesHint(maxFiles));
  if (isAvatar && raw.multiple) problems.push(AVATAR_HINT);
  const shape = readChoice('shape', raw.shape, SHAPES, report);
  // A transport stores files without a token, which could delete them.
  const deletesFiles = readChoice('removal', raw.removal, REMOVALS, report) === 'delete' && !raw.transport;
  if (raw.capture !== '') readChoice('capture', raw.capture.toLowerCase(), CAMERAS, report);
  checkAddresses(raw, report);
  if (raw.locale !== '') readLocale(raw.locale, report);
  checkTokenSource(raw, report);
  return { limits, concurrency, appearance, shape, deletesFiles, imageOptions: readImageOptions(raw, report), problems };
}

const readFileLimits = (raw: RawSettings, report: ReportProblem): Omit<Limits, 'maxFiles'> => ({
  maxSize: readSize('max-size', raw.maxSize, report),
  allowedExtensions: readExtensions('allowed-extensions', raw.allowedExtensions, report),
  accept: readAccept(raw.accept, report),
  maxTotalSize: readSize('max-total-size', raw.maxTotalSize, report),
  allowEmpty: raw.allowEmpty,
});

const AVATAR_HINT: SettingProblem = {
  attribute: 'multiple',
  value: '',
  rule: 'An avatar accepts one picture.',
  isHint: true,
};

const maxFilesHint = (maxFiles: number): SettingProblem => ({
  attribute: 'max-files',
  value: String(maxFiles),
  rule: 'Write "multiple" as well. Without it, only one file is accepted.',
  isHint: true,
});

function checkAddresses({ endpoint, tokenEndpoint }: RawSettings, report: ReportProblem): void {
  if (endpoint !== '' && readBaseAddress(endpoint) === undefined)
    report('endpoint', endpoint, 'Write the absolute address of Blob Storage, such as "https://blob.example.com".');
  if (tokenEndpoint !== '') readAddress('token-endpoint', tokenEndpoint, report);
}

function checkTokenSource(raw: RawSettings, report: ReportProblem): void {
  const problemOfToken = raw.token ? findTokenProblem(String(raw.token)) : undefined;
  // The console must not show a token.
  if (problemOfToken !== undefined) report('token', '…', problemOfToken);
  if (raw.tokenProvider && typeof raw.tokenProvider !== 'function')
    report('tokenProvider', '…', 'Write a function that returns a token. Put the token itself into "token".');
  if (raw.transport && typeof raw.transport.send !== 'function')
    report('transport', '…', 'Write an object with a method "send".');
  if (raw.token && raw.endpoint === '' && !raw.tokenEndpoint && !raw.tokenProvider)
    report('endpoint', '', 'Write the address of Blob Storage. A token alone does not contain it.');
}

const PIXEL_RANGE = { min: 1, max: 65_535 };
export const QUALITY_RANGE = { min: 0, max: 1, whole: false };
export const DEFAULT_QUALITY = 0.85;

function readImageOptions(raw: RawSettings, report: ReportProblem): ImageOptions | null {
  const maxWidth = readNumber('resize-max-width', raw.resizeMaxWidth, PIXEL_RANGE, report);
  const maxHeight = readNumber('resize-max-height', raw.resizeMaxHeight, PIXEL_RANGE, report);
  const quality = readNumber('resize-quality', raw.resizeQuality, QUALITY_RANGE, report) ?? DEFAULT_QUALITY;
  const type = raw.resizeFormat && `image/${readChoice('resize-format', raw.resizeFormat, FORMATS, report)}`;
  const resize = maxWidth === null && maxHeight === null ? null : { maxWidth, maxHeight, quality, type: type || null };
  // With `edit-first` a picture is prepared even if nothing else changes it: the person edits it.
  return raw.stripLocation || resize || raw.editFirst ? { stripLocation: raw.stripLocation, resize } : null;
}

function readAddress(attribute: string, value: string, report: ReportProblem): void {
  // Relative URLs are valid. The base makes them absolute.
  const base = 'https://page.invalid/';
  const isHttp = URL.canParse(value, base) && /^https?:$/.test(new URL(value, base).protocol);
  if (!isHttp || !/\S/.test(value)) report(attribute, value, 'Write an http or https address.');
}

function readLocale(value: string, report: ReportProblem): void {
  try {
    Intl.getCanonicalLocales(value);
  } catch {
    report('locale', value, 'Write a language tag such as "en-US" or "pt-BR".');
  }
}

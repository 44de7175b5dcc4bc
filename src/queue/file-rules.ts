import { hasAllowedExtension } from '../protocol/extensions.js';
import type { Limits, Rejection } from './types.js';

/** What is judged: a file's outside. */
export interface Candidate {
  readonly name: string;
  readonly size: number;
  readonly type: string;
  readonly identity: string;
}

/** What the files that count already are. */
export interface ListedFiles {
  files: number;
  bytes: number;
  identities: { has(identity: string): boolean };
}

type Rule = (file: Candidate, limits: Limits, taken: ListedFiles) => Rejection | undefined;

/** Nearly always a mistake (a file a cloud drive has not fetched yet), so a page has to ask for it. */
const empty: Rule = ({ size }, { allowEmpty }) => (size === 0 && !allowEmpty ? { code: 'EMPTY_FILE', details: {} } : undefined);

/** The extension decides, whatever type the browser guessed. */
const extension: Rule = ({ name }, { allowedExtensions }) =>
  allowedExtensions && !hasAllowedExtension(name, allowedExtensions)
    ? { code: 'BLOCKED_FILE_TYPE', details: { allowed_extensions: allowedExtensions } }
    : undefined;

const fits = (entry: string, { name, type }: Candidate): boolean => {
  if (entry.startsWith('.')) return name.toLowerCase().endsWith(entry) && name.length > entry.length;
  if (entry.endsWith('/*')) return type.startsWith(entry.slice(0, -1));
  // Without parameters, such as a charset.
  return type.split(';')[0]!.trim() === entry;
};

/** A file whose type the browser doesn't know cannot fit a media type. */
const accept: Rule = (file, limits) =>
  limits.accept && limits.accept.length > 0 && !limits.accept.some((entry) => fits(entry, file))
    ? { code: 'BLOCKED_FILE_TYPE', details: { accept: limits.accept } }
    : undefined;

const size: Rule = ({ size }, { maxSize }) =>
  maxSize !== null && size > maxSize ? { code: 'BLOB_FILE_TOO_LARGE', details: { max_size: maxSize, size } } : undefined;

const duplicate: Rule = ({ identity }, _limits, { identities }) =>
  identities.has(identity) ? { code: 'DUPLICATE_FILE', details: {} } : undefined;

const count: Rule = (_file, { maxFiles }, { files }) =>
  maxFiles !== null && files >= maxFiles ? { code: 'TOO_MANY_FILES', details: { max_files: maxFiles } } : undefined;

const total: Rule = ({ size }, { maxTotalSize }, { bytes }) =>
  maxTotalSize !== null && bytes + size > maxTotalSize
    ? { code: 'TOTAL_TOO_LARGE', details: { max_total_size: maxTotalSize } }
    : undefined;

/** What a token may forbid, and what therefore is judged again when its limits are learned. */
const OWN_RULES = [extension, accept, size];
const ALL_RULES = [empty, ...OWN_RULES, duplicate, count, total];

const first = (rules: readonly Rule[], file: Candidate, limits: Limits, taken: ListedFiles): Rejection | undefined => {
  for (const rule of rules) {
    const rejection = rule(file, limits, taken);
    if (rejection) return rejection;
  }
  return undefined;
};

/** Judges a file as it is chosen. @returns why it is not taken, or undefined. */
export const validateFile = (file: Candidate, limits: Limits, taken: ListedFiles): Rejection | undefined =>
  first(ALL_RULES, file, limits, taken);

export const NO_FILES: ListedFiles = { files: 0, bytes: 0, identities: new Set() };

/** Judges a file that was taken before by limits learned since. */
export const revalidateFile = (file: Candidate, limits: Limits): Rejection | undefined =>
  first(OWN_RULES, file, limits, NO_FILES);

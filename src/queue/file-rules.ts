import { hasAllowedExtension } from '../protocol/extensions.js';
import type { Limits, Rejection } from './types.js';

/** The properties of a file that the rules check. */
export interface Candidate {
  readonly name: string;
  readonly size: number;
  readonly type: string;
  readonly identity: string;
  /** The service fetches the file. It checks the response, so only the rules of the list apply here. */
  readonly url?: string | undefined;
}

/** The files in the list that count against the limits. */
export interface ListedFiles {
  files: number;
  bytes: number;
  identities: { has(identity: string): boolean };
}

type Rule = (file: Candidate, limits: Limits, listed: ListedFiles) => Rejection | undefined;

/** An empty file is nearly always a mistake, such as a file that a cloud drive has not fetched. A page must allow it. */
const empty: Rule = ({ size }, { allowEmpty }) => (size === 0 && !allowEmpty ? { code: 'EMPTY_FILE', details: {} } : undefined);

/** The extension decides, not the type that the browser guessed. */
const extension: Rule = ({ name }, { allowedExtensions }) =>
  allowedExtensions && !hasAllowedExtension(name, allowedExtensions)
    ? { code: 'BLOCKED_FILE_TYPE', details: { allowed_extensions: allowedExtensions } }
    : undefined;

const matchesAccept = (entry: string, { name, type }: Candidate): boolean => {
  if (entry.startsWith('.')) return name.toLowerCase().endsWith(entry) && name.length > entry.length;
  if (entry.endsWith('/*')) return type.startsWith(entry.slice(0, -1));
  // A type may have parameters, such as a charset.
  return type.split(';')[0]!.trim() === entry;
};

/** A file of a type that the browser does not know fits no media type. */
const accept: Rule = (file, limits) =>
  limits.accept && limits.accept.length > 0 && !limits.accept.some((entry) => matchesAccept(entry, file))
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

/** Rules of a single file. They are checked again when the limits of a token are known. */
const FILE_RULES = [extension, accept, size];
const LIST_RULES = [duplicate, count, total];
const ALL_RULES = [empty, ...FILE_RULES, ...LIST_RULES];

const findRejection = (rules: readonly Rule[], file: Candidate, limits: Limits, listed: ListedFiles): Rejection | undefined => {
  for (const rule of rules) {
    const rejection = rule(file, limits, listed);
    if (rejection) return rejection;
  }
  return undefined;
};

/** Validates a chosen file. @returns why it is rejected, or undefined */
export const validateFile = (file: Candidate, limits: Limits, listed: ListedFiles): Rejection | undefined =>
  findRejection(file.url ? LIST_RULES : ALL_RULES, file, limits, listed);

export const NO_LIMITS: Limits = {
  maxSize: null,
  allowedExtensions: null,
  maxFiles: null,
  maxTotalSize: null,
  allowEmpty: false,
};

export const NO_FILES: ListedFiles = { files: 0, bytes: 0, identities: new Set() };

/** Validates a listed file against new limits. @returns why it is rejected, or undefined */
export const revalidateFile = (file: Candidate, limits: Limits): Rejection | undefined =>
  findRejection(file.url ? [] : FILE_RULES, file, limits, NO_FILES);

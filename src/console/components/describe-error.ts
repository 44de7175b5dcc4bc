import type { CountLimitReason } from '../../protocol/count-limits.js';
import { ApiError } from '../api/api-error.js';
import { formatTime } from '../texts/format.js';
import { texts } from '../texts/texts.js';

export interface ErrorDescription {
  title: string;
  advice: string;
}

/** Longest wait that is stated in seconds. A longer one is stated by its end. */
const MAX_COUNTED_SECONDS = 90;

/** Describes an error in the words of the console. A message of the API appears only in English, and only if no text fits. */
export function describeError(error: unknown): ErrorDescription {
  const { errors, loadFailed } = texts;
  // Browsers report code that could not be loaded as a TypeError.
  if (error instanceof TypeError) return { title: loadFailed.title, advice: loadFailed.text };
  if (error instanceof DOMException && error.name === 'TimeoutError') return errors.network;
  if (!(error instanceof ApiError)) return { title: errors.other.title, advice: String(error) };
  const { code, status, details, requestId } = error;
  if (code === 'NETWORK_ERROR') return errors.network;
  if (status === 401 && code !== 'INVALID_CREDENTIALS') return errors.session;
  if (code === 'FILE_INFECTED') return errors.infected;
  if (status === 429) return { title: errors.rate.title, advice: adviceToWait(Number(details['retry_after'] ?? 10)) };
  if (status === 503) return errors.busy;
  if (status === 507) return errors.full;
  if (status === 403) return errors.denied;
  if (status === 404) return errors.missing;
  if (status >= 500) return { title: errors.failed.title, advice: errors.failed.advice(requestId ?? '') };
  return { title: errors.other.title, advice: refusalText(error) };
}

function adviceToWait(seconds: number): string {
  const { rate } = texts.errors;
  if (seconds <= MAX_COUNTED_SECONDS) return rate.advice(seconds);
  return rate.adviceUntil(formatTime(new Date(Date.now() + seconds * 1000).toISOString()));
}

/** Texts of a form for errors: by code, by code and field, such as `VALIDATION_ERROR:name`, or by code and reason, if no field is wrong. */
export type Problems = Readonly<Record<string, string>>;

/** Describes an error of a form in one line. */
export function problemLine(error: unknown, problems: Problems = {}): string {
  if (!(error instanceof ApiError)) return errorLine(error);
  const reason = String(error.details['reason']);
  const text = problems[`${error.code}:${fieldOf(error) ?? reason}`] ?? problems[error.code];
  if (text !== undefined) return text;
  return REFUSALS.has(error.status) ? refusalText(error) : errorLine(error);
}

/** Statuses of requests that the service refused because of their content. */
const REFUSALS = new Set([400, 409, 413, 415, 422]);

/** Returns the field whose value a refusal names: the first part of its path. Other errors may state the path of a file. */
export const fieldOf = (error: unknown): string | undefined =>
  error instanceof ApiError && error.status === 400 && typeof error.details['path'] === 'string' && !isCountLimit(error)
    ? error.details['path'].split(/[./[]/).find((part) => part !== '')
    : undefined;

/** Says which values the service accepts, or what stands in the way. */
const refusalText = (error: ApiError): string =>
  countLimitText(error) ?? (texts.problems.fields as Problems)[fieldOf(error) ?? ''] ?? codeText(error);

/** Whether the greatest number of records exists, so that no value of the form is wrong. */
const isCountLimit = ({ details }: ApiError): boolean => Object.hasOwn(texts.problems.records, String(details['reason']));

function countLimitText(error: ApiError): string | undefined {
  if (!isCountLimit(error)) return undefined;
  const { limit, records } = texts.problems;
  const { reason, limit: count } = error.details;
  return limit(Number(count), records[reason as CountLimitReason]);
}

/** Describes an error by its code. */
export const codeText = ({ code, message }: { code: string; message: string }): string =>
  (texts.problems.codes as Problems)[code] ?? texts.problems.other ?? message.replaceAll('`', '');

/** Describes an error in one line. */
export const errorLine = (error: unknown): string => {
  const { title, advice } = describeError(error);
  return `${title}. ${advice}`;
};

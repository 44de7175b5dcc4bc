import { ApiError } from '../api/api-error.js';
import { texts } from '../texts/texts.js';

export interface ErrorDescription {
  title: string;
  advice: string;
}

/** Describes an error in the words of the console. Messages of the API are in English, so they appear only if no text fits. */
export function describeError(error: unknown): ErrorDescription {
  const { errors, loadFailed } = texts;
  // Browsers report code that could not be loaded as a TypeError.
  if (error instanceof TypeError) return { title: loadFailed.title, advice: loadFailed.text };
  if (!(error instanceof ApiError)) return { title: errors.other.title, advice: String(error) };
  const { code, status, details, requestId } = error;
  if (code === 'NETWORK_ERROR') return errors.network;
  if (status === 401 && code !== 'INVALID_CREDENTIALS') return errors.session;
  if (status === 429) return { title: errors.rate.title, advice: errors.rate.advice(Number(details['retry_after'] ?? 10)) };
  if (status === 503) return errors.busy;
  if (status === 507) return errors.full;
  if (status === 403) return errors.denied;
  if (status === 404) return errors.missing;
  if (status >= 500) return { title: errors.failed.title, advice: errors.failed.advice(requestId ?? '') };
  return { title: errors.other.title, advice: knownProblem(error) ?? error.message.replaceAll('`', '') };
}

/** Texts of a form for errors: by code, or by code and field, such as `VALIDATION_ERROR:name`. */
export type Problems = Readonly<Record<string, string>>;

/** Describes an error of a form in one line. A refused value is explained in the words of the API if no text fits. */
export function problemLine(error: unknown, problems: Problems = {}): string {
  if (!(error instanceof ApiError)) return errorLine(error);
  const text = problems[`${error.code}:${fieldOf(error)}`] ?? problems[error.code];
  if (text !== undefined) return text;
  return REFUSALS.has(error.status) ? (knownProblem(error) ?? error.message.replaceAll('`', '')) : errorLine(error);
}

/** Statuses of requests that the service refused because of their content. */
const REFUSALS = new Set([400, 409, 413, 415, 422]);

/** Returns the field that an error names: the first part of its path. */
export const fieldOf = (error: unknown): string | undefined =>
  error instanceof ApiError && typeof error.details['path'] === 'string'
    ? error.details['path'].split(/[./[]/).find((part) => part !== '')
    : undefined;

/** Finds a text in the language of the console. In English there are none, because the messages of the API state the value too. */
function knownProblem(error: ApiError): string | undefined {
  const { problems } = texts;
  if (!problems || error.status < 400) return undefined;
  const { limit } = error.details;
  if (typeof limit === 'number' && error.status < 413) return problems.limit(limit);
  return problems.fields[fieldOf(error) ?? ''] ?? problems.codes[error.code] ?? problems.other;
}

/** Describes an error by its code, if the language of the console has a text for it, and in the words of the API otherwise. */
export const codeText = ({ code, message }: { code: string; message: string }): string =>
  texts.problems ? (texts.problems.codes[code] ?? texts.problems.other) : message.replaceAll('`', '');

/** Describes an error in one line. */
export const errorLine = (error: unknown): string => {
  const { title, advice } = describeError(error);
  return `${title}. ${advice}`;
};

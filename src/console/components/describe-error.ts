import { ApiError } from '../api/api-error.js';
import { texts } from '../texts/texts.js';

export interface ErrorDescription {
  title: string;
  advice: string;
}

/** Describes an error in the words of the console. Messages of the API are in English, so they appear only if no text fits. */
export function describeError(error: unknown): ErrorDescription {
  const { errors } = texts;
  if (!(error instanceof ApiError)) return { title: errors.other.title, advice: String(error) };
  const { code, status, details, requestId } = error;
  if (code === 'NETWORK_ERROR') return errors.network;
  if (status === 429) return { title: errors.rate.title, advice: errors.rate.advice(Number(details['retry_after'] ?? 10)) };
  if (status === 503) return errors.busy;
  if (status === 507) return errors.full;
  if (status === 403) return errors.denied;
  if (status === 404) return errors.missing;
  if (status >= 500) return { title: errors.failed.title, advice: errors.failed.advice(requestId ?? '') };
  return { title: errors.other.title, advice: error.message };
}

/** Texts of a form for errors: by code, or by code and field, such as `VALIDATION_ERROR:name`. */
export type Problems = Readonly<Record<string, string>>;

/** Describes an error of a form in one line. */
export function problemLine(error: unknown, problems: Problems): string {
  if (!(error instanceof ApiError)) return errorLine(error);
  return problems[`${error.code}:${String(error.details['path'])}`] ?? problems[error.code] ?? errorLine(error);
}

/** Describes an error in one line. */
export const errorLine = (error: unknown): string => {
  const { title, advice } = describeError(error);
  return `${title}. ${advice}`;
};

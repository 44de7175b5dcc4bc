import { BlobError } from '../../../../src/protocol/errors.js';
import { passwordProblem } from '../../identity/users/passwords.js';
import type { PageTexts } from './texts.js';

/** A problem with a sent form, in the language of the page. */
export interface FormProblem {
  status: number;
  /** The field that it concerns. */
  field?: 'email' | 'name' | 'password' | 'code';
  text: string;
}

export interface ProblemContext {
  texts: PageTexts;
  /** The text about a link that is not valid. */
  linkText: string;
  /** The own address of the page. */
  url: string;
  /** The fields that were sent. */
  sent: { password: string };
}

/** Describes an error for the person who sent the form. @throws the error itself, if the person can do nothing about it */
export function problemOf(error: unknown, { texts, linkText, url, sent }: ProblemContext): FormProblem {
  const { problems } = texts;
  if (!(error instanceof BlobError)) throw error;
  const { status, code, path, details } = error;
  if (code === 'INVALID_CREDENTIALS') return { status, field: 'password', text: problems.credentials };
  if (code === 'RATE_LIMIT_EXCEEDED')
    return { status, text: problems.tooManyAttempts(Math.ceil(Number(details['retry_after'] ?? 60) / 60)) };
  if (code === 'SERVICE_UNAVAILABLE') return { status, text: problems.busy };
  if (code === 'ORIGIN_DENIED') return { status, text: problems.origin(url) };
  if (code === 'FORBIDDEN') return { status, text: problems.insecure };
  if (code === 'NOT_FOUND') return { status, field: 'code', text: linkText };
  if (code === 'VALIDATION_ERROR' && path === 'name') return { status, field: 'name', text: problems.name };
  if (code === 'VALIDATION_ERROR' && path === 'email')
    return { status, field: 'email', text: error.message.includes('another user') ? problems.emailTaken : problems.email };
  const weakness = passwordProblem(sent.password);
  if (code === 'VALIDATION_ERROR' && path === 'password' && weakness !== undefined)
    return {
      status,
      field: 'password',
      text: { short: problems.passwordShort, long: problems.passwordLong, common: problems.passwordCommon }[weakness],
    };
  throw error;
}

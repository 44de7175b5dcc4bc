import type { FastifyReply } from 'fastify';
import type { BlobError } from '../../../../../src/protocol/errors.js';
import type { Language } from '../../../identity/users/user-fields.js';
import { ShareEnded } from '../../../sharing/shares.js';
import { form, formField, hiddenField, sendFormPage } from '../form-page.js';
import { shareTextsIn } from './share-texts.js';
import type { ShareTexts } from './share-texts.js';

/** Characters of the longest password of a share. */
const MAX_PASSWORD = 200;

/** Sends the form for the password of a share. @param options.next the page that it opens */
export function sharePasswordPage(
  reply: FastifyReply,
  language: Language,
  { id, next, hasFailed = false }: { id: string; next: string; hasFailed?: boolean },
): FastifyReply {
  const texts = shareTextsIn(language);
  const field = formField({
    name: 'password',
    label: texts.password,
    type: 'password',
    autocomplete: 'current-password',
    maxLength: MAX_PASSWORD,
    hasFocus: true,
    error: hasFailed ? texts.wrongPassword : undefined,
  });
  return sendFormPage(reply, {
    language,
    title: texts.passwordTitle,
    intro: texts.passwordIntro,
    body: form(`/s/${encodeURIComponent(id)}`, [field, hiddenField('next', next)], texts.unlock),
    status: 401,
  });
}

/** Sends an error of a share as a page. */
export function shareErrorPage(reply: FastifyReply, language: Language, error: BlobError): FastifyReply {
  const texts = shareTextsIn(language);
  const [title, intro] = describe(texts, error);
  const retryAfter = error.details['retry_after'];
  if (typeof retryAfter === 'number') reply.header('Retry-After', String(Math.ceil(retryAfter)));
  return sendFormPage(reply, { language, title, intro, body: [], status: error.status });
}

function describe({ ended, tooMany }: ShareTexts, { code, cause, details }: BlobError): readonly [title: string, text: string] {
  if (cause instanceof ShareEnded) return ended[cause.reason];
  if (code === 'NOT_FOUND') return ended.missing;
  if (code === 'FILE_NOT_FOUND') return ended.file;
  if (code === 'FILE_NOT_SCANNED') return ended.unscanned;
  if (code === 'FILE_INFECTED') return ended.infected;
  if (code === 'RATE_LIMIT_EXCEEDED') return [ended.other[0], tooMany(Math.ceil(Number(details['retry_after'] ?? 60) / 60))];
  if (code === 'VALIDATION_ERROR' && details['limit'] !== undefined) return ended.many;
  return code === 'VALIDATION_ERROR' || code === 'INVALID_PATH' ? ended.address : ended.other;
}

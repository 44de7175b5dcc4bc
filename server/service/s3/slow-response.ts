import { setTimeout as delay } from 'node:timers/promises';
import { toS3Error } from './errors.js';
import type { Answer } from './service.js';
import { XML_DECLARATION, xmlError } from './xml/write.js';

/** Clients wait about a minute for the first byte; long work says sooner that it lives, ms. */
const PATIENCE = 10_000;
const BEAT = 5000;

/**
 * Answers work that may take longer than clients wait: after ten seconds the status 200 goes out and white space follows until the
 * document is there. A failure after that stands in the body, as it does in S3.
 * @param work resolves with the XML document.
 */
export async function slowAnswer(work: Promise<string>, headers: Record<string, string> = {}): Promise<Answer> {
  const quick = await Promise.race([work, delay(PATIENCE, undefined, { ref: false })]);
  if (quick !== undefined) return { status: 200, headers, body: quick };
  return { status: 200, headers: { ...headers, 'content-type': 'application/xml' }, body: beating(work) };
}

async function* beating(work: Promise<string>): AsyncGenerator<string> {
  const settled = work.catch((error: unknown) => {
    const failure = toS3Error(error);
    return xmlError({ Code: failure.code, Message: failure.message, ...failure.fields });
  });
  // White space may follow the declaration, not go before it.
  yield XML_DECLARATION;
  for (;;) {
    const done = await Promise.race([settled, delay(BEAT, undefined, { ref: false })]);
    if (done !== undefined) return yield done.slice(XML_DECLARATION.length);
    yield ' ';
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { toS3Error } from '../errors.js';
import type { S3Response } from '../command.js';
import { XML_DECLARATION, xmlError } from '../xml/write-xml.js';

/** Clients wait about a minute for the first byte. The keep-alive bytes start earlier. */
const KEEP_ALIVE_AFTER_MS = 10_000;
const KEEP_ALIVE_INTERVAL = 5000;

/**
 * Responds to an operation that may take longer than clients wait. After ten seconds it sends the status 200 and then white space until the
 * operation ends. As in S3, a later error is in the body of the 200 response.
 * @param work resolves with the XML document.
 */
export async function slowResponse(work: Promise<string>, headers: Record<string, string> = {}): Promise<S3Response> {
  const document = await Promise.race([work, delay(KEEP_ALIVE_AFTER_MS, undefined, { ref: false })]);
  if (document !== undefined) return { status: 200, headers, body: document };
  return { status: 200, headers: { ...headers, 'content-type': 'application/xml' }, body: withKeepAlive(work) };
}

async function* withKeepAlive(work: Promise<string>): AsyncGenerator<string> {
  const document = work.catch((error: unknown) => {
    const { code, message, fields } = toS3Error(error);
    return xmlError({ Code: code, Message: message, ...fields });
  });
  // XML allows white space after the declaration but not before it.
  yield XML_DECLARATION;
  for (;;) {
    const done = await Promise.race([document, delay(KEEP_ALIVE_INTERVAL, undefined, { ref: false })]);
    if (done !== undefined) return yield done.slice(XML_DECLARATION.length);
    yield ' ';
  }
}

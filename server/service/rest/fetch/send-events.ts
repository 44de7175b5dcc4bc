import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toErrorBody } from '../../../../src/protocol/error-response.js';
import { redactError } from '../../http/errors.js';

/** Interval of the events `progress`. */
const PROGRESS_MS = 500;
/** Interval of comments while nothing arrives, so that proxies keep the connection open. */
const COMMENT_MS = 15_000;

export interface FetchProgress {
  bytes: number;
  /** Announced bytes; null if unknown. */
  total: number | null;
  /** The name that the response states, or the last segment of the URL. The name of the stored file may differ. */
  name: string;
  /** The content type of the response; '' if it states none. */
  content_type: string;
}

/** Returns whether a client asks for server-sent events instead of JSON. */
export const acceptsEvents = ({ headers }: FastifyRequest): boolean => /\btext\/event-stream\b/i.test(headers.accept ?? '');

/**
 * Sends the progress and the result of work as server-sent events: `progress`, then `done` or `error`.
 * @param work calls `report` as often as it likes. Its result is the data of `done`.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function sendEvents(
  reply: FastifyReply,
  work: (report: (progress: FetchProgress) => void) => Promise<object>,
): FastifyReply {
  const { request } = reply;
  const events = new PassThrough();
  let progress: FetchProgress | undefined;
  let reported: FetchProgress | undefined;
  let sentAt = performance.now();
  const write = (text: string) => {
    sentAt = performance.now();
    if (!events.destroyed) events.write(text);
  };
  const send = (name: string, data: object) => write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const sendProgress = () => {
    if (progress && progress !== reported) send('progress', progress);
    else if (performance.now() - sentAt > COMMENT_MS) write(':\n\n');
    reported = progress;
  };
  const fail = (cause: unknown) => {
    const error = redactError(cause, request);
    if (error.status >= 500) request.log.error({ err: cause }, 'fetch failed');
    send('error', toErrorBody(error));
  };
  const timer = setInterval(sendProgress, PROGRESS_MS);
  void work((next) => void (progress = next))
    .then((result) => {
      sendProgress();
      send('done', result);
    }, fail)
    .finally(() => {
      clearInterval(timer);
      events.end();
    });
  // Proxies such as nginx would collect the events.
  return reply.type('text/event-stream').header('Cache-Control', 'no-store').header('X-Accel-Buffering', 'no').send(events);
}

import { S3Error } from '../errors.js';
import { RateLimiter } from './rate-limiter.js';
import { abortError } from '../abort.js';
import type { HttpClient, HttpResponse, HttpRequest } from './http-client.js';

export interface FetchClientOptions {
  /** Bytes a second, both ways together. */
  bandwidth?: number;
  /** Seconds without a byte after which a request fails. @default 60 */
  stallSeconds?: number;
}

/** Firefox stands still at a file that is gone: who stands so many milliseconds has it looked at. */
const LOOK_MS = 3000;

/** Headers that browsers set themselves. */
const FORBIDDEN = new Set(['host', 'content-length', 'connection', 'expect']);

/**
 * Requests of a page. Bodies go by XMLHttpRequest, which tells how far they are; everything else by fetch, which streams.
 * The store has to allow it: its CORS rules name the page's origin and expose `ETag` (and `x-amz-*`, as far as it has them).
 */
export class FetchClient implements HttpClient {
  readonly #rate: RateLimiter;
  readonly #stallMs: number;

  constructor(options: FetchClientOptions = {}) {
    this.#rate = new RateLimiter(options.bandwidth);
    this.#stallMs = (options.stallSeconds ?? 60) * 1000;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { origin } = request;
    const url = `${origin.secure ? 'https' : 'http'}://${origin.host}${request.target}`;
    const size = request.body === undefined ? 0 : request.body instanceof Uint8Array ? request.body.length : request.body.size;
    const wait = this.#rate.throttle(size, request.signal);
    if (wait !== undefined) await wait;
    return request.body === undefined ? this.#fetch(url, request) : this.#upload(url, request, await xhrBody(request.body));
  }

  close(): void {}

  async #fetch(url: string, request: HttpRequest): Promise<HttpResponse> {
    const stall = new AbortController();
    let timer = setTimeout(() => stall.abort(), this.#stallMs);
    const moved = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => stall.abort(), this.#stallMs);
    };
    try {
      const signal = AbortSignal.any([request.signal, stall.signal]);
      const headers = Object.entries(request.headers).filter(([name]) => !FORBIDDEN.has(name));
      // A cache would answer a range of one object with that of another time.
      const answer = await fetch(url, { method: request.method, headers, signal, cache: 'no-store', redirect: 'error' });
      const told = Object.fromEntries(answer.headers);
      if (request.onData === undefined || !answer.ok)
        return { status: answer.status, headers: told, body: new Uint8Array(await answer.arrayBuffer()) };
      const reader = answer.body!.getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        moved();
        await this.#rate.throttle(piece.value.length, request.signal);
        await request.onData(piece.value, told);
      }
      return { status: answer.status, headers: told, body: new Uint8Array(0) };
    } catch (error) {
      if (error instanceof S3Error) throw error;
      if (request.signal.aborted) throw abortError(request.signal);
      if (stall.signal.aborted) throw stalled(this.#stallMs);
      throw connectionFailed(url, error);
    } finally {
      clearTimeout(timer);
    }
  }

  #upload(url: string, request: HttpRequest, body: XMLHttpRequestBodyInit): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest();
      let sent = 0;
      let timer: ReturnType<typeof setTimeout> | undefined;
      let look: typeof timer;
      // The next try reads it anew, and hears what became of it.
      const stall = (ms: number): void => end(() => reject(stalled(ms)), true);
      const watch = (): void => {
        clearTimeout(timer);
        clearTimeout(look);
        timer = setTimeout(stall, this.#stallMs, this.#stallMs);
        if (body instanceof Blob)
          look = setTimeout(
            () =>
              void body
                .slice(0, 1)
                .arrayBuffer()
                .catch(() => stall(LOOK_MS)),
            LOOK_MS,
          );
      };
      const stop = (): void => end(() => reject(abortError(request.signal)), true);
      const end = (settle: () => void, cancel = false): void => {
        clearTimeout(timer);
        clearTimeout(look);
        request.signal.removeEventListener('abort', stop);
        xhr.onload = xhr.onerror = xhr.upload.onprogress = null;
        if (cancel) xhr.abort();
        settle();
      };
      if (request.signal.aborted) return reject(abortError(request.signal));
      request.signal.addEventListener('abort', stop);
      xhr.open(request.method, url);
      xhr.responseType = 'arraybuffer';
      for (const [name, value] of Object.entries(request.headers)) if (!FORBIDDEN.has(name)) xhr.setRequestHeader(name, value);
      xhr.upload.onprogress = ({ loaded }) => {
        watch();
        request.onSent?.(loaded - sent);
        sent = loaded;
      };
      xhr.onerror = () => end(() => reject(connectionFailed(url, undefined)));
      xhr.onload = () =>
        end(() => resolve({ status: xhr.status, headers: headersOf(xhr), body: new Uint8Array(xhr.response as ArrayBuffer) }));
      watch();
      xhr.send(body);
      return undefined;
    });
  }
}

function headersOf(xhr: XMLHttpRequest): Record<string, string> {
  const lines = xhr.getAllResponseHeaders().trim().split('\r\n').filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
}

/**
 * Converts a body for XMLHttpRequest. Bytes in memory are sent as they are. Pieces are copied, because the next one overwrites
 * the last. A Blob may stay on disk.
 */
async function xhrBody(body: NonNullable<HttpRequest['body']>): Promise<XMLHttpRequestBodyInit> {
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  if (body.blob !== undefined) return body.blob;
  const parts: Blob[] = [];
  for (let piece = await body.next(); piece !== undefined; piece = await body.next())
    parts.push(new Blob([piece as Uint8Array<ArrayBuffer>]));
  return new Blob(parts);
}

const stalled = (ms: number): S3Error => new S3Error('Stalled', `No byte moved for ${ms / 1000} s.`);

/** A page is not told whether the network failed or the store's CORS rules do not let it in. */
const connectionFailed = (url: string, cause: unknown): S3Error =>
  new S3Error('ConnectionFailed', `${new URL(url).host} cannot be reached from this page: no network, or no CORS rule for it.`, {
    cause,
  });

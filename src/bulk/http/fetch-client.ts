import { S3Error } from '../errors.js';
import { RateLimiter } from './rate-limiter.js';
import { abortError } from '../abort.js';
import type { HttpClient, HttpResponse, HttpRequest } from './http-client.js';

/** Options of `FetchClient`. */
export interface FetchClientOptions {
  /** Bytes per second, uploads and downloads together, more than 0. @default no limit */
  bandwidth?: number;
  /** Seconds without any byte after which a request fails, more than 0. @default 60 */
  stallSeconds?: number;
}

/** Time without progress after which the chosen file is read again. Firefox stops without an error if the file is gone. */
const FILE_CHECK_MS = 3000;

/** Headers that browsers set themselves. */
const FORBIDDEN_HEADERS = new Set(['host', 'content-length', 'connection', 'expect']);

/**
 * HTTP client of pages. Sends bodies by XMLHttpRequest, which reports progress, and all other requests by fetch, which streams
 * the response. The CORS rules of the store must allow the origin of the page and expose `ETag` and the `x-amz-*` headers that
 * the store sends.
 */
export class FetchClient implements HttpClient {
  readonly #rateLimiter: RateLimiter;
  readonly #stallMs: number;

  constructor(options: FetchClientOptions = {}) {
    this.#rateLimiter = new RateLimiter(options.bandwidth);
    this.#stallMs = (options.stallSeconds ?? 60) * 1000;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { origin, body } = request;
    const url = `${origin.secure ? 'https' : 'http'}://${origin.host}${request.target}`;
    const waiting = this.#rateLimiter.throttle(bodySize(body), request.signal);
    if (waiting !== undefined) await waiting;
    return body === undefined ? this.#fetch(url, request) : this.#upload(url, request, await xhrBody(body));
  }

  close(): void {}

  async #fetch(url: string, request: HttpRequest): Promise<HttpResponse> {
    const stall = new AbortController();
    const startTimer = () => setTimeout(() => stall.abort(), this.#stallMs);
    let timer = startTimer();
    try {
      const signal = AbortSignal.any([request.signal, stall.signal]);
      const headers = Object.entries(request.headers).filter(([name]) => !FORBIDDEN_HEADERS.has(name));
      // A cache could mix ranges of two versions of an object.
      const response = await fetch(url, { method: request.method, headers, signal, cache: 'no-store', redirect: 'error' });
      const { status } = response;
      const responseHeaders = Object.fromEntries(response.headers);
      if (request.onData === undefined || !response.ok)
        return { status, headers: responseHeaders, body: new Uint8Array(await response.arrayBuffer()) };
      const reader = response.body!.getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        clearTimeout(timer);
        timer = startTimer();
        await this.#rateLimiter.throttle(piece.value.length, request.signal);
        await request.onData(piece.value, responseHeaders);
      }
      return { status, headers: responseHeaders, body: new Uint8Array(0) };
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
    const { signal, method, onSent } = request;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortError(signal));
      const xhr = new XMLHttpRequest();
      let sent = 0;
      const settle = (action: () => void): void => {
        watch.stop();
        signal.removeEventListener('abort', onAbort);
        xhr.onload = xhr.onerror = xhr.upload.onprogress = null;
        action();
      };
      const cancel = (error: S3Error): void =>
        settle(() => {
          xhr.abort();
          reject(error);
        });
      const onAbort = (): void => cancel(abortError(signal));
      const watch = watchProgress(body, this.#stallMs, (ms) => cancel(stalled(ms)));
      signal.addEventListener('abort', onAbort);
      xhr.open(method, url);
      xhr.responseType = 'arraybuffer';
      for (const [name, value] of Object.entries(request.headers))
        if (!FORBIDDEN_HEADERS.has(name)) xhr.setRequestHeader(name, value);
      xhr.upload.onprogress = ({ loaded }) => {
        watch.restart();
        onSent?.(loaded - sent);
        sent = loaded;
      };
      xhr.onerror = () => settle(() => reject(connectionFailed(url, undefined)));
      xhr.onload = () => settle(() => resolve(responseOf(xhr)));
      watch.restart();
      xhr.send(body);
      return undefined;
    });
  }
}

/**
 * Calls `onStall` with the time in milliseconds after which an upload counts as stalled. That is `stallMs`, or `FILE_CHECK_MS` if
 * the file of the body can no longer be read. The next attempt reads the file and reports its error.
 */
function watchProgress(
  body: XMLHttpRequestBodyInit,
  stallMs: number,
  onStall: (ms: number) => void,
): { restart(): void; stop(): void } {
  let stallTimer: ReturnType<typeof setTimeout> | undefined;
  let fileTimer: typeof stallTimer;
  const stop = (): void => {
    clearTimeout(stallTimer);
    clearTimeout(fileTimer);
  };
  const checkFile = (blob: Blob): void => {
    const firstByte = blob.slice(0, 1).arrayBuffer();
    void firstByte.catch(() => onStall(FILE_CHECK_MS));
  };
  const restart = (): void => {
    stop();
    stallTimer = setTimeout(onStall, stallMs, stallMs);
    if (body instanceof Blob) fileTimer = setTimeout(checkFile, FILE_CHECK_MS, body);
  };
  return { restart, stop };
}

function bodySize(body: HttpRequest['body']): number {
  if (body === undefined) return 0;
  return body instanceof Uint8Array ? body.length : body.size;
}

const responseOf = (xhr: XMLHttpRequest): HttpResponse => ({
  status: xhr.status,
  headers: headersOf(xhr),
  body: new Uint8Array(xhr.response as ArrayBuffer),
});

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

/** Browsers do not tell whether the network failed or the CORS rules of the store forbid the request. */
function connectionFailed(url: string, cause: unknown): S3Error {
  const message = `This page cannot reach ${new URL(url).host}. The network failed, or the store has no CORS rule for the page.`;
  return new S3Error('ConnectionFailed', message, { cause });
}

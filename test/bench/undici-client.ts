import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { Pool, ProxyAgent } from 'undici';
import type { Dispatcher } from 'undici';
import type { BodyPieces, HttpClient, HttpResponse, HttpRequest } from '../../src/bulk/http/http-client.js';
import type { NodeHttpClientOptions } from '../../src/bulk/node/http/http-client.js';
import { S3Error, toS3Error } from '../../src/bulk/errors.js';
import { RateLimiter } from '../../src/bulk/http/rate-limiter.js';
import { abortError } from '../../src/bulk/abort.js';

/** Bytes of one piece of a body. Progress and the bandwidth limit act between two pieces. */
const PIECE = 512 * 1024;
const EMPTY = Buffer.alloc(0);

/** The HTTP client of the bulk engine on the dispatchers of undici: the plain alternative to `src/bulk/node/http`. */
export class UndiciClient implements HttpClient {
  readonly isLiteral = true;
  readonly #rate: RateLimiter;
  readonly #stallMs: number;
  readonly #pools = new Map<string, Dispatcher>();

  constructor(private readonly options: NodeHttpClientOptions = {}) {
    this.#rate = new RateLimiter(options.bandwidth);
    this.#stallMs = (options.stallSeconds ?? 60) * 1000;
  }

  send(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const { method, target: path, headers, body, signal } = request;
      if (signal.aborted) return reject(abortError(signal));
      const gathered: Buffer[] = [];
      let status = 0;
      let responseHeaders: Record<string, string> = {};
      let pending: Promise<unknown> | undefined;
      let controller: Dispatcher.DispatchController | undefined;
      const abort = (): void => controller?.abort(abortError(signal));
      // Hundreds of requests share one signal.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', abort, { once: true });
      const fail = (error: Error): void => {
        signal.removeEventListener('abort', abort);
        reject(toConnectionError(error));
      };
      const dispatcher = this.#dispatcherFor(request);
      const isSmall = body instanceof Uint8Array && body.length <= PIECE;
      const size = body instanceof Uint8Array ? body.length : body?.size;
      dispatcher.dispatch(
        {
          origin: originText(request),
          method: method as Dispatcher.HttpMethod,
          path,
          headers: size === undefined ? headers : { ...headers, 'content-length': String(size) },
          body:
            body === undefined
              ? null
              : isSmall
                ? body
                : Readable.from(this.#pieces(body, request), { objectMode: false, highWaterMark: 1 }),
        },
        {
          onRequestStart: (started) => {
            controller = started;
            if (signal.aborted) abort();
          },
          onResponseStart: (_controller, code, received) => {
            status = code;
            responseHeaders = received as Record<string, string>;
            if (isSmall) request.onSent?.(body.length);
          },
          onResponseData: (_controller, chunk) => {
            if (request.onData === undefined || status >= 300) return void gathered.push(chunk);
            const wait = this.#rate.throttle(chunk.length, signal);
            const busy = request.onData(chunk, responseHeaders);
            if (busy === undefined && wait === undefined) return undefined;
            controller!.pause();
            pending = Promise.all([pending, busy, wait]);
            pending.then(
              () => controller!.resume(),
              (error: Error) => controller!.abort(error),
            );
            return undefined;
          },
          onResponseEnd: () => {
            signal.removeEventListener('abort', abort);
            const response = { status, headers: responseHeaders, body: gathered.length === 0 ? EMPTY : Buffer.concat(gathered) };
            Promise.resolve(pending).then(() => resolve(response), fail);
          },
          onResponseError: (_controller, error) => fail(error),
        },
      );
      return undefined;
    });
  }

  close(): void {
    for (const pool of this.#pools.values()) void pool.close();
    this.#pools.clear();
  }

  async *#pieces(body: Uint8Array | BodyPieces, { signal, onSent }: HttpRequest): AsyncGenerator<Uint8Array> {
    const next = body instanceof Uint8Array ? once(body) : () => body.next();
    for (let piece = await next(); piece !== undefined; piece = await next())
      for (let at = 0; at < piece.length; at += PIECE) {
        const slice = piece.subarray(at, at + PIECE);
        await this.#rate.throttle(slice.length, signal);
        yield slice;
        onSent?.(slice.length);
      }
  }

  #dispatcherFor(request: HttpRequest): Dispatcher {
    const key = originText(request);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      const { tls = {}, proxy } = this.options;
      const timeouts = { headersTimeout: this.#stallMs, bodyTimeout: this.#stallMs };
      const through = proxy?.(request.origin);
      pool =
        through === undefined
          ? new Pool(key, { ...timeouts, connections: null, pipelining: 1, connect: tls as object })
          : new ProxyAgent({ ...timeouts, uri: through.href, requestTls: tls as object, proxyTls: tls as object });
      this.#pools.set(key, pool);
    }
    return pool;
  }
}

const originText = ({ origin }: HttpRequest): string => `${origin.secure ? 'https' : 'http'}://${origin.host}`;

function once<Value>(value: Value): () => Value | undefined {
  let left: Value | undefined = value;
  return () => {
    const given = left;
    left = undefined;
    return given;
  };
}

const toConnectionError = (error: Error & { code?: string }): S3Error =>
  error.code?.startsWith('UND_ERR') === true || error.code?.startsWith('E') === true
    ? new S3Error('ConnectionFailed', error.message, { cause: error })
    : toS3Error(error);

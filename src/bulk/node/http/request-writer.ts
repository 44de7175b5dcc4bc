import type { Socket } from 'node:net';
import { S3Error } from '../../errors.js';
import type { RateLimiter } from '../../http/rate-limiter.js';
import type { Origin, HttpRequest } from '../../http/http-client.js';
import { proxyAuthorization } from './proxy.js';

/** Smaller bodies share one buffer and one system call with their head. Bytes. */
const SINGLE_WRITE_MAX = 64 * 1024;
/** Larger bodies are sent in pieces. Progress, rate limit and early responses are handled between two pieces. Bytes. */
const PIECE = 512 * 1024;
/** TLS copies each piece, so its pieces are smaller. Bytes. */
const TLS_PIECE = 128 * 1024;

interface RequestWriterContext {
  socket: Socket;
  origin: Origin;
  rate: RateLimiter;
  /** The proxy that forwards plain HTTP requests. */
  proxy: URL | undefined;
  /** Called when the server has taken a piece of a body. */
  onPieceSent(): void;
}

/** Writes the requests of one connection to its socket, one after the other. */
export class RequestWriter {
  /** Holds head and body of small requests. The next request reuses it. */
  #buffer: Buffer = Buffer.alloc(0);
  /** A proxy of plain HTTP needs the whole address in the request line. */
  readonly #targetPrefix: string = '';
  readonly #proxyHeaders: string = '';

  constructor(private readonly context: RequestWriterContext) {
    const { origin, proxy } = context;
    if (proxy === undefined) return;
    const authorization = proxyAuthorization(proxy);
    this.#targetPrefix = `http://${origin.host}`;
    if (authorization !== undefined) this.#proxyHeaders = `proxy-authorization: ${authorization}\r\n`;
  }

  /**
   * Writes a request.
   * @param isPending false once the request has its response or has failed; the rest of its body is not sent then
   * @returns undefined if all of it is written; otherwise a promise that tells whether the whole body was sent
   */
  write(request: HttpRequest, isPending: () => boolean): Promise<boolean> | undefined {
    const { rate, socket } = this.context;
    const { body } = request;
    const size = sizeOf(body);
    const head = this.#headOf(request, size);
    if (body instanceof Uint8Array && size <= SINGLE_WRITE_MAX && rate.sliceBytes === undefined) {
      this.#writeAtOnce(head, body);
      request.onSent?.(size);
      return undefined;
    }
    socket.write(head, 'latin1');
    return size === 0 ? undefined : this.#writePieces(request, body!, size, isPending);
  }

  #headOf({ method, target, headers, body }: HttpRequest, size: number): string {
    let head = `${method} ${this.#targetPrefix}${target} HTTP/1.1\r\n${this.#proxyHeaders}`;
    for (const name in headers) head += `${name}: ${headers[name]!}\r\n`;
    const needsLength = body !== undefined || method === 'POST' || method === 'PUT';
    return needsLength ? `${head}content-length: ${size}\r\n\r\n` : `${head}\r\n`;
  }

  #writeAtOnce(head: string, body: Uint8Array): void {
    const length = head.length + body.length;
    // The previous request has its response, so its bytes have left the buffer.
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafeSlow(nextPowerOfTwo(length));
    this.#buffer.write(head, 'latin1');
    this.#buffer.set(body, head.length);
    this.context.socket.write(this.#buffer.subarray(0, length));
  }

  /** @returns false if the request ended before its body was sent */
  async #writePieces(
    request: HttpRequest,
    body: NonNullable<HttpRequest['body']>,
    size: number,
    isPending: () => boolean,
  ): Promise<boolean> {
    const { socket, origin, rate, onPieceSent } = this.context;
    const pieceSize = Math.min(rate.sliceBytes ?? PIECE, origin.secure ? TLS_PIECE : PIECE);
    const nextChunk = body instanceof Uint8Array ? () => body : () => body.next();
    let left = size;
    while (left > 0) {
      const chunk = await nextChunk();
      if (chunk === undefined || chunk.length > left) throw new S3Error('FileChanged', 'The size of the file has changed.');
      for (let start = 0; start < chunk.length; start += pieceSize) {
        const piece = chunk.subarray(start, start + pieceSize);
        await rate.throttle(piece.length, request.signal);
        // An early response means that the server wants no more.
        if (!isPending()) return false;
        await new Promise<void>((resolve) => void socket.write(piece, () => resolve()));
        // After a failure the caller has already taken the progress back.
        if (!isPending()) return false;
        onPieceSent();
        request.onSent?.(piece.length);
      }
      left -= chunk.length;
    }
    return true;
  }
}

function sizeOf(body: HttpRequest['body']): number {
  if (body === undefined) return 0;
  return body instanceof Uint8Array ? body.length : body.size;
}

const nextPowerOfTwo = (size: number): number => 2 ** Math.ceil(Math.log2(size));

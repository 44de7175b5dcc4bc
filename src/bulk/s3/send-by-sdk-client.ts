import { S3Error } from '../errors.js';
import type { SdkClient } from './sdk-client.js';
import { abortError, unlessAborted } from '../abort.js';
import type { Origin, HttpResponse, HttpRequest } from '../http/http-client.js';

/** One request without a signature. */
export interface UnsignedRequest extends Omit<HttpRequest, 'target'> {
  origin: Origin;
  path: string;
  query: string;
}

/** Result of the request handler of the SDK. */
interface SdkResult {
  response: {
    statusCode: number;
    headers: Record<string, string>;
    body?: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | Uint8Array;
  };
}

/**
 * Sends a request with an AWS SDK client of the caller: its signer, proxies and agents. It is slower than the built-in path.
 * @throws S3Error `CredentialsMissing`, `ConnectionFailed`, `Aborted`
 */
export async function sendBySdkClient(client: SdkClient, request: UnsignedRequest): Promise<HttpResponse> {
  const { origin } = request;
  const query = Object.fromEntries(new URLSearchParams(request.query.replaceAll('+', '%2B')));
  const unsigned = {
    method: request.method,
    protocol: origin.secure ? 'https:' : 'http:',
    hostname: origin.hostname,
    port: origin.port,
    path: request.path,
    query,
    headers: request.headers,
  };
  const signing = client.config
    .signer()
    .then((signer) => signer.sign(unsigned as never))
    .catch((error: unknown) => {
      throw signingFailed(error);
    });
  const signed = (await unlessAborted(signing, request.signal)) as unknown as typeof unsigned;
  const body = request.body === undefined || request.body instanceof Uint8Array ? request.body : await joinBody(request.body);
  const headers = { ...signed.headers, ...(body !== undefined && { 'content-length': String(body.length) }) };
  try {
    const handled = await client.config.requestHandler.handle({ ...signed, headers, body } as never, {
      abortSignal: request.signal,
    });
    const { response } = handled as unknown as SdkResult;
    if (body !== undefined) request.onSent?.(body.length);
    const responseHeaders = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    return await receive(response, responseHeaders, request);
  } catch (error) {
    if (error instanceof S3Error) throw error;
    if (request.signal.aborted) throw abortError(request.signal);
    throw new S3Error('ConnectionFailed', `${origin.host}: ${(error as Error).message}`, { cause: error });
  }
}

/** The code ends the transfer, because signing would fail for every file. */
function signingFailed(error: unknown): S3Error {
  const { message } = error as Error;
  return new S3Error('CredentialsMissing', `The AWS SDK client cannot sign requests: ${message}`, { cause: error });
}

/** Passes the body of a 2xx response to `onData`, if that is set. Otherwise returns it. */
async function receive(
  { statusCode: status, body }: SdkResult['response'],
  headers: Record<string, string>,
  request: UnsignedRequest,
): Promise<HttpResponse> {
  const pieces: Uint8Array[] = [];
  const onData = status < 300 ? request.onData : undefined;
  for await (const piece of body instanceof Uint8Array ? [body] : (body ?? [])) {
    if (onData === undefined) pieces.push(piece);
    else await onData(piece, headers);
  }
  return { status, headers, body: join(pieces) };
}

/** Joins the pieces of a body. The SDK needs it whole. */
async function joinBody(body: Exclude<NonNullable<HttpRequest['body']>, Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) pieces.push(piece.slice());
  return join(pieces);
}

function join(pieces: Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let position = 0;
  for (const piece of pieces) {
    joined.set(piece, position);
    position += piece.length;
  }
  return joined;
}

import { S3Error } from '../errors.js';
import type { SdkClient } from './sdk-client.js';
import { abortError, unlessAborted } from '../abort.js';
import type { Origin, HttpResponse, HttpRequest } from '../http/http-client.js';

/** One request that is not signed yet. */
export interface UnsignedRequest extends Omit<HttpRequest, 'target'> {
  origin: Origin;
  path: string;
  query: string;
}

interface SdkAnswer {
  response: {
    statusCode: number;
    headers: Record<string, string>;
    body?: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | Uint8Array;
  };
}

/**
 * The same request by the signer and the transport of a client that somebody made for their store: with its proxies,
 * agents and ways to sign. It costs what the SDK costs.
 */
export async function sendBySdkClient(client: SdkClient, request: UnsignedRequest): Promise<HttpResponse> {
  const { origin } = request;
  const query = Object.fromEntries(new URLSearchParams(request.query.replaceAll('+', '%2B')));
  const plain = {
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
    .then((signer) => signer.sign(plain as never))
    .catch((error: unknown) => {
      throw unsigned(error);
    });
  const signed = (await unlessAborted(signing, request.signal)) as unknown as typeof plain;
  const body = request.body === undefined || request.body instanceof Uint8Array ? request.body : await gather(request.body);
  const headers = { ...signed.headers, ...(body !== undefined && { 'content-length': String(body.length) }) };
  try {
    const handled = await client.config.requestHandler.handle({ ...signed, headers, body } as never, {
      abortSignal: request.signal,
    });
    const { response } = handled as unknown as SdkAnswer;
    if (body !== undefined) request.onSent?.(body.length);
    const told = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]));
    return await take(response, told, request);
  } catch (error) {
    if (error instanceof S3Error) throw error;
    if (request.signal.aborted) throw abortError(request.signal);
    throw new S3Error('ConnectionFailed', `${origin.host}: ${(error as Error).message}`, { cause: error });
  }
}

/** Keys that cannot be had are not had for the next file either. */
function unsigned(error: unknown): S3Error {
  const { message } = error as Error;
  return new S3Error('CredentialsMissing', `The client of your own signs nothing: ${message}`, { cause: error });
}

async function take(
  { statusCode: status, body }: SdkAnswer['response'],
  headers: Record<string, string>,
  request: UnsignedRequest,
): Promise<HttpResponse> {
  const pieces: Uint8Array[] = [];
  const wanted = status < 300 ? request.onData : undefined;
  for await (const piece of body instanceof Uint8Array ? [body] : (body ?? [])) {
    if (wanted === undefined) pieces.push(piece);
    else await wanted(piece, headers);
  }
  return { status, headers, body: join(pieces) };
}

async function gather(body: Exclude<NonNullable<HttpRequest['body']>, Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) pieces.push(piece.slice());
  return join(pieces);
}

function join(pieces: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

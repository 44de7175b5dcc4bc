import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { xmlDocument, retryAfterOf } from './response-error.js';
import { S3Error } from '../errors.js';
import { queryString } from './object-keys.js';
import type { Store } from './object-store.js';

type SdkModule = typeof import('@aws-sdk/client-s3');

/** Module of the AWS SDK and a client for one store. */
interface Sdk {
  module: SdkModule;
  client: S3Client;
}

/**
 * Loads the AWS SDK for infrequent commands. The SDK writes requests and parses responses. `Store.send` addresses, signs and sends
 * them like all others. The SDK does not retry; `transfer/transfer-executor.ts` does.
 */
async function openSdk(store: Store): Promise<Sdk> {
  const module = await import('@aws-sdk/client-s3').catch((error: unknown) => {
    throw new S3Error('PeerMissing', 'This needs the AWS SDK: run `npm install @aws-sdk/client-s3`.', { cause: error });
  });
  // A client of the caller is a client of the SDK.
  if (store.client !== undefined) return { module, client: store.client as S3Client };
  const client = new module.S3Client({
    // `storeHandler` takes only bucket and key from the address. The host name is never resolved.
    endpoint: 'http://store',
    forcePathStyle: true,
    region: store.region,
    // The store signs, because its credential provider is asynchronous.
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    signer: { sign: async (request) => request },
    maxAttempts: 1,
    // Bodies are small XML. Older stores refuse the headers of the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: storeHandler(store),
  });
  return { module, client };
}

const sdks = new WeakMap<Store, Promise<Sdk>>();

/** Returns the SDK and its client for a store. Loads the SDK on first use. @throws S3Error `PeerMissing` */
function sdkOf(store: Store): Promise<Sdk> {
  const sdk = sdks.get(store) ?? openSdk(store);
  sdks.set(store, sdk);
  return sdk;
}

/** Calls the SDK. @throws S3Error, also for errors of the SDK */
export async function callSdk<Result>(store: Store, work: (sdk: Sdk) => Promise<Result>): Promise<Result> {
  try {
    return await work(await sdkOf(store));
  } catch (error) {
    throw fromSdk(error);
  }
}

/** Returns a separate signal for one command. The SDK adds listeners, and hundreds of them on one signal look like a leak. */
export const commandSignal = (signal: AbortSignal): { abortSignal: AbortSignal } => ({ abortSignal: AbortSignal.any([signal]) });

/** The part of an SDK command that adds headers. */
interface CommandWithMiddleware {
  middlewareStack: {
    add(middleware: (next: (args: never) => unknown) => (args: never) => unknown, options: { step: 'build' }): void;
  };
}

/** Adds headers to a command. They are given as HTTP headers, because the SDK has its own names and types for them. */
export function withHeaders<Command>(command: Command, headers: Record<string, string>): Command {
  (command as CommandWithMiddleware).middlewareStack.add(
    (next) => (args) => {
      Object.assign((args as { request: SdkRequest }).request.headers, headers);
      return next(args);
    },
    { step: 'build' },
  );
  return command;
}

/** The parts of an SDK request that are used here. */
interface SdkRequest {
  method: string;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
}

/** Headers that only the SDK uses or that the store adds again. */
const REPLACED_HEADERS = /^(?:host|content-length|user-agent|x-amz-user-agent|amz-sdk-.*)$/;

function storeHandler(store: Store): NonNullable<S3ClientConfig['requestHandler']> {
  const handler = {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: SdkRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      const [, bucket, key] = /^\/([^/]+)\/?(.*)$/s.exec(request.path) as unknown as [string, string, string];
      const query = Object.entries(request.query ?? {}).map(([name, value]) => [name, value === null ? '' : String(value)]);
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(request.headers))
        if (!REPLACED_HEADERS.test(name.toLowerCase())) headers[name.toLowerCase()] = value;
      const body = request.body === undefined ? undefined : bodyOf(request.body);
      const response = await store.send({
        method: request.method,
        bucket: decodeURIComponent(bucket),
        ...(key !== '' && { key: decodeURIComponent(key) }),
        query: queryString(Object.fromEntries(query) as Record<string, string>),
        headers,
        ...(body !== undefined && { body, payloadHash: store.digests.sha256Hex(body) }),
        signal: abortSignal ?? new AbortController().signal,
      });
      if (response.body.length > 0) xmlDocument(response);
      return { response: { statusCode: response.status, headers: response.headers, body: response.body } };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
    destroy: () => {},
  };
  return handler as unknown as NonNullable<S3ClientConfig['requestHandler']>;
}

function bodyOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  throw new S3Error('InvalidOption', 'Commands that use the AWS SDK cannot send streams.');
}

/** Converts an error of the SDK. Returns an `S3Error` unchanged. */
function fromSdk(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  const { name, message, $metadata, $response } = error as {
    name?: string;
    message?: string;
    $metadata?: { httpStatusCode?: number; requestId?: string };
    $response?: { headers?: Record<string, string> };
  };
  const retryAfter = retryAfterOf($response?.headers ?? {});
  const serverTimeMs = Date.parse($response?.headers?.['date'] ?? '');
  return new S3Error(name === undefined || name === 'Error' ? 'UnexpectedAnswer' : name, message ?? String(error), {
    status: $metadata?.httpStatusCode ?? 0,
    cause: error,
    ...($metadata?.requestId !== undefined && { requestId: $metadata.requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(!Number.isNaN(serverTimeMs) && { serverTimeMs }),
  });
}

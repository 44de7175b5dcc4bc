import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { xmlDocument, retryAfterOf } from './response-error.js';
import { S3Error } from '../errors.js';
import { queryString } from './object-keys.js';
import type { Store } from './object-store.js';

type SdkModule = typeof import('@aws-sdk/client-s3');

/** The SDK's module and a client. */
export interface Sdk {
  module: SdkModule;
  client: S3Client;
}

/**
 * The control plane through `@aws-sdk/client-s3`, which here writes requests and reads answers; the store addresses, signs,
 * carries and judges them as it does those of the fast path. Nothing is retried there: every request of a run is, in one place.
 */
async function openSdk(store: Store): Promise<Sdk> {
  const module = await import('@aws-sdk/client-s3').catch((error: unknown) => {
    throw new S3Error('PeerMissing', 'This needs the AWS SDK: run `npm install @aws-sdk/client-s3`.', { cause: error });
  });
  // A client of the page's or program's own is one of the SDK.
  if (store.client !== undefined) return { module, client: store.client as S3Client };
  const client = new module.S3Client({
    // Bucket and key are taken from the path again: this name is never looked up.
    endpoint: 'http://store',
    forcePathStyle: true,
    region: store.region,
    // The store signs: those that it asks for may take their time.
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    signer: { sign: async (request) => request },
    maxAttempts: 1,
    // Bodies of the control plane are small XML; stores that do not know the newer headers refuse them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: storeHandler(store),
  });
  return { module, client };
}

const opened = new WeakMap<Store, Promise<Sdk>>();

/** The SDK and its client for a store, loaded when first needed. @throws S3Error `PeerMissing` */
export function sdkOf(store: Store): Promise<Sdk> {
  const sdk = opened.get(store) ?? openSdk(store);
  opened.set(store, sdk);
  return sdk;
}

/** A signal for one command: the SDK listens to each of them, and hundreds at once to that of the run would look like a leak. */
export const commandSignal = (signal: AbortSignal): { abortSignal: AbortSignal } => ({ abortSignal: AbortSignal.any([signal]) });

/** Anything the SDK sends, as far as headers are added to it. */
interface Stacked {
  middlewareStack: {
    add(middleware: (next: (args: never) => unknown) => (args: never) => unknown, options: { step: 'build' }): void;
  };
}

/** The command with headers in the words of the hot path, which the SDK knows under names, and in types, of its own. */
export function withHeaders<Command>(command: Command, headers: Record<string, string>): Command {
  (command as Stacked).middlewareStack.add(
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

/** Headers that the SDK adds for itself, or that the store adds. */
const OWN = /^(?:host|content-length|user-agent|x-amz-user-agent|amz-sdk-.*)$/;

function storeHandler(store: Store): NonNullable<S3ClientConfig['requestHandler']> {
  const handler = {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: SdkRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      const [, bucket, key] = /^\/([^/]+)\/?(.*)$/s.exec(request.path) as unknown as [string, string, string];
      const query = Object.entries(request.query ?? {}).map(([name, value]) => [name, value === null ? '' : String(value)]);
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(request.headers))
        if (!OWN.test(name.toLowerCase())) headers[name.toLowerCase()] = value;
      const body = request.body === undefined ? undefined : bodyOf(request.body);
      const answer = await store.send({
        method: request.method,
        bucket: decodeURIComponent(bucket),
        ...(key !== '' && { key: decodeURIComponent(key) }),
        query: queryString(Object.fromEntries(query) as Record<string, string>),
        headers,
        ...(body !== undefined && { body, payloadHash: store.digests.sha256Hex(body) }),
        signal: abortSignal ?? new AbortController().signal,
      });
      if (answer.body.length > 0) xmlDocument(answer);
      return { response: { statusCode: answer.status, headers: answer.headers, body: answer.body } };
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
  throw new S3Error('InvalidOption', 'The control plane sends no streams.');
}

/** Converts an error of the SDK. */
export function fromSdk(error: unknown): S3Error {
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

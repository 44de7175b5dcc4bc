import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { retryAfterOf } from './answer-error.js';
import { S3Error } from './errors.js';
import { queryString } from './names.js';
import type { Store } from './store.js';
import type { WireRequest } from './wire.js';

type SdkModule = typeof import('@aws-sdk/client-s3');

/** The SDK's module and a client. */
export interface Sdk {
  module: SdkModule;
  client: S3Client;
}

/**
 * The control plane through `@aws-sdk/client-s3`: its requests go over the store's own connections, and are not
 * retried there, since every request of a run is retried in one place.
 */
export async function openSdk(store: Store, own: S3Client | undefined): Promise<Sdk> {
  const module = await import('@aws-sdk/client-s3').catch((error: unknown) => {
    throw new S3Error('PeerMissing', 'Large files need the AWS SDK: run `npm install @aws-sdk/client-s3`.', { cause: error });
  });
  if (own !== undefined) return { module, client: own };
  const handler = wireHandler(store);
  const client = new module.S3Client({
    endpoint: store.endpoint.href,
    region: store.region,
    forcePathStyle: store.pathStyle,
    credentials: () => store.credentials(),
    systemClockOffset: store.clockOffset,
    maxAttempts: 1,
    // Bodies of the control plane are small XML; stores that do not know the newer headers refuse them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: handler,
  });
  return { module, client };
}

/** What the SDK hands to its transport; only what is used here. */
interface SdkRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
}

function wireHandler(store: Store): NonNullable<S3ClientConfig['requestHandler']> {
  const handler = {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: SdkRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      const secure = request.protocol === 'https:';
      const port = request.port ?? (secure ? 443 : 80);
      const query = queryString(
        Object.fromEntries(
          Object.entries(request.query ?? {}).map(([name, value]) => [name, value === null ? '' : String(value)]),
        ),
      );
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(request.headers))
        if (name.toLowerCase() !== 'content-length') headers[name.toLowerCase()] = value;
      const answer = await store.wire.send({
        method: request.method,
        origin: { secure, hostname: request.hostname.replace(/^\[|\]$/g, ''), port, host: headers['host'] ?? request.hostname },
        target: query === '' ? request.path : `${request.path}?${query}`,
        headers,
        signal: abortSignal ?? new AbortController().signal,
        ...(request.body !== undefined && { body: bodyOf(request.body) }),
      });
      return { response: { statusCode: answer.status, headers: answer.headers, body: answer.body } };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
    destroy: () => {},
  };
  return handler as unknown as NonNullable<S3ClientConfig['requestHandler']>;
}

function bodyOf(body: unknown): NonNullable<WireRequest['body']> {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  throw new S3Error('InvalidOption', 'The control plane sends no streams.');
}

/** What the SDK throws, as ours. */
export function fromSdk(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  const { name, message, $metadata, $response } = error as {
    name?: string;
    message?: string;
    $metadata?: { httpStatusCode?: number; requestId?: string };
    $response?: { headers?: Record<string, string> };
  };
  const retryAfter = retryAfterOf($response?.headers?.['retry-after']);
  const serverTimeMs = Date.parse($response?.headers?.['date'] ?? '');
  return new S3Error(name === undefined || name === 'Error' ? 'UnexpectedAnswer' : name, message ?? String(error), {
    status: $metadata?.httpStatusCode ?? 0,
    cause: error,
    ...($metadata?.requestId !== undefined && { requestId: $metadata.requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(!Number.isNaN(serverTimeMs) && { serverTimeMs }),
  });
}

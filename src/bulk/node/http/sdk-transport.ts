import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { originOf } from '../../http/http-client.js';
import { NodeHttpClient } from './http-client.js';
import type { NodeHttpClientOptions } from './http-client.js';

/** The fields of the SDK's request that are used here. */
interface SdkRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** Carries the SDK's requests for credentials (STS, SSO). The SDK's own transport supports neither proxies nor `AWS_CA_BUNDLE`. */
export const sdkTransport = (options: NodeHttpClientOptions): NonNullable<S3ClientConfig['requestHandler']> =>
  ({
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: SdkRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      const { method, protocol, hostname, port, path, body } = request;
      const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
      for (const [name, value] of Object.entries(request.query ?? {}))
        for (const item of [value].flat()) url.searchParams.append(name, item ?? '');
      const headers = Object.fromEntries(
        Object.entries(request.headers)
          .map(([name, value]) => [name.toLowerCase(), value])
          .filter(([name]) => name !== 'content-length'),
      ) as Record<string, string>;
      // Credentials are requested at most once an hour, so no connection is kept.
      const client = new NodeHttpClient(options);
      try {
        const response = await client.send({
          method,
          origin: originOf(url),
          target: url.pathname + url.search,
          headers: { host: url.host, ...headers },
          ...(body !== undefined && { body: typeof body === 'string' ? new TextEncoder().encode(body) : body }),
          signal: abortSignal ?? new AbortController().signal,
        });
        return { response: { statusCode: response.status, headers: response.headers, body: response.body } };
      } finally {
        client.close();
      }
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
    destroy: () => {},
  }) as unknown as NonNullable<S3ClientConfig['requestHandler']>;

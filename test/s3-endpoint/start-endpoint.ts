import { S3Client } from '@aws-sdk/client-s3';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import type { NewS3Credential } from '../../server/service/identity/s3-credentials.js';
import { createBlobService } from '../../server/service/index.js';
import type { BlobService, BlobServiceOptions } from '../../server/service/index.js';
import { createDataDirectory, storageFor } from '../service/backend.js';
import { httpRequest, signer, urlOf } from './signing.js';
import type { KeyPair } from './signing.js';

export interface RawResponse {
  status: number;
  headers: Headers;
  text: string;
  /** S3's error code in the XML. */
  code: string | undefined;
}

/** Starts the real service with its S3 endpoint on a free port and with its own data directory. */
export class TestEndpoint {
  private constructor(
    readonly service: BlobService,
    readonly url: string,
    readonly restUrl: string,
    readonly dataDir: string,
    readonly pair: KeyPair,
    /** An API key that may read and write. */
    readonly apiKey: string,
  ) {}

  static async start(options: BlobServiceOptions = {}): Promise<TestEndpoint> {
    const dataDir = options.dataDir ?? (await createDataDirectory('svc-s3-'));
    const service = await createBlobService({ port: 0, s3Port: 0, ...(await storageFor(dataDir)), ...options, dataDir });
    const { url, s3Url } = await service.listen();
    const { secret } = await service.core.keys.create('main', { name: 'test', scopes: ['blob:read', 'blob:write'] });
    return new TestEndpoint(service, s3Url!, url, dataDir, await newPair(service), secret);
  }

  async stop(): Promise<void> {
    await this.service.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  get host(): string {
    return new URL(this.url).host;
  }

  newPair(options: NewS3Credential = {}, accountId = 'main'): Promise<KeyPair> {
    return newPair(this.service, options, accountId);
  }

  client(pair: KeyPair = this.pair, config: S3ClientConfig = {}): S3Client {
    return new S3Client({
      endpoint: this.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: pair,
      maxAttempts: 1,
      ...config,
    });
  }

  /** Signs a request with the SDK's signer, changes it as requested, and sends it. */
  async send(
    method: string,
    path: string,
    options: {
      query?: Record<string, string>;
      headers?: Record<string, string>;
      body?: string | Buffer;
      pair?: KeyPair;
      tamper?: (headers: Record<string, string>) => void;
    } = {},
  ): Promise<RawResponse> {
    const { query, body, pair = this.pair, tamper } = options;
    const request = httpRequest(method, this.host, path, query, {
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
      ...options.headers,
    });
    const signed = await signer(pair).sign(request);
    tamper?.(signed.headers);
    const { host: _, ...headers } = signed.headers;
    return this.fetch(urlOf(signed), { method, headers, ...(body !== undefined && { body: body as BodyInit }) });
  }

  async fetch(path: string, init: RequestInit = {}): Promise<RawResponse> {
    const response = await fetch(this.url + path, { redirect: 'manual', ...init });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, code: /<Code>([^<]+)/.exec(text)?.[1] };
  }

  /** Sends raw bytes. @returns the response until the connection closes or `until` matches. */
  raw(bytes: string | Buffer, options: { half?: boolean; until?: RegExp } = {}): Promise<string> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => {
        if (options.half) socket.end(bytes);
        else socket.write(bytes);
      });
      socket.on('data', (data) => {
        text += data.toString('latin1');
        if (options.until?.test(text)) socket.destroy();
      });
      socket.once('error', reject);
      socket.once('close', () => resolve(text));
    });
  }

  /** Returns the keys of the main bucket and the number of running uploads. */
  async stored(): Promise<{ keys: string[]; reservations: number }> {
    const { core } = this.service;
    const storage = (await core.accounts.mainStorage('main'))!;
    const { files } = await core.blobs.list(storage, { limit: 1000 });
    const { uploadsInProgress } = await core.blobs.usage('main');
    return { keys: files.map((file) => file.key), reservations: uploadsInProgress };
  }
}

async function newPair(service: BlobService, options: NewS3Credential = {}, accountId = 'main'): Promise<KeyPair> {
  const { id, secret } = await service.core.s3Credentials.create(accountId, options);
  return { accessKeyId: id, secretAccessKey: secret };
}

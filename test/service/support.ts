import { readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { createBlobService } from '../../server/service/index.js';
import type { BlobService, BlobServiceOptions } from '../../server/service/index.js';
import type { Scope } from '../../server/service/identity/scopes.js';
import type { CreatedUploadToken, FileRecord, UploadTokenOptions } from '../../src/protocol/types.js';
import { setClock } from '../support/database-clock.js';
import { putClockForward } from '../support/process-clock.js';
import { BACKEND, blobsIn, createDataDirectory, roundRobin, storageFor } from './backend.js';

/** A response of the REST API. */
export interface ServiceResponse<T = unknown> {
  status: number;
  headers: Headers;
  /** The field `response` of a success. */
  response: T;
  /** The body of an error. */
  error: { code: string; message: string; path?: string; details: Record<string, unknown> };
}

/** Starts the real service on a free port with its own data directory, and sends requests to it. */
export class TestService {
  readonly service: BlobService;
  readonly url: string;
  /** The URL of one process, without the proxy of `url`. */
  readonly ownUrl: string;
  readonly dataDir: string;
  /** The secret of an API key that may read and write. */
  readonly key: string;
  readonly #store: string | undefined;
  /** Null without `s3Port`. */
  readonly s3Url: string | null;
  /** Undefined on SQLite. */
  readonly databaseUrl: string | undefined;
  /** Replicas besides `service`. */
  readonly #replicas: BlobService[];
  readonly #others: (() => Promise<void>)[];

  private constructor(
    service: BlobService,
    [url, ownUrl]: [url: string, ownUrl: string],
    dataDir: string,
    key: string,
    { store, databaseUrl, s3Url }: Pick<BlobServiceOptions, 'store' | 'databaseUrl'> & { s3Url: string | null },
    { replicas, others }: { replicas: BlobService[]; others: (() => Promise<void>)[] },
  ) {
    this.service = service;
    this.url = url;
    this.ownUrl = ownUrl;
    this.dataDir = dataDir;
    this.key = key;
    this.#store = store;
    this.databaseUrl = databaseUrl;
    this.s3Url = s3Url;
    this.#replicas = replicas;
    this.#others = others;
  }

  static async start(options: BlobServiceOptions = {}): Promise<TestService> {
    const dataDir = options.dataDir ?? (await createDataDirectory('svc-service-'));
    const all = { port: 0, s3Port: false as const, dataDir, ...(await storageFor(dataDir)), ...options };
    // A stated port belongs to the proxy before the replicas.
    if (BACKEND === 'replicas') all.port = 0;
    const service = await createService(all);
    const { url, s3Url } = await service.listen();
    const { secret } = await service.core.keys.create('main', { name: 'test', scopes: ['blob:read', 'blob:write'] });
    if (BACKEND !== 'replicas')
      return new TestService(service, [url, url], dataDir, secret, { ...all, s3Url }, { replicas: [], others: [] });
    const second = await createService(all);
    const proxy = await roundRobin([url, (await second.listen()).url], options.port);
    const others = [() => proxy.close(), () => second.close()];
    return new TestService(service, [proxy.url, url], dataDir, secret, { ...all, s3Url }, { replicas: [second], others });
  }

  /** Moves the clock of the service forward: that of the machine or of the database. Timers do not change. @param time ms; 0 resets the clock. */
  async advanceClock(time: number): Promise<void> {
    if (this.databaseUrl === undefined) {
      putClockForward(time);
      return;
    }
    await setClock(this.databaseUrl, time);
    for (const { core } of [this.service, ...this.#replicas]) await core.measureSkew();
  }

  /** Stops the service and keeps its data. */
  async close(): Promise<void> {
    for (const close of this.#others) await close();
    await this.service.close();
  }

  /** Stops the service and deletes its data. */
  async stop(): Promise<void> {
    await this.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  async newKey(scopes: Scope[], allowedIps: string[] = []): Promise<{ id: string; secret: string }> {
    return this.service.core.keys.create('main', { name: 'another', scopes, allowedIps });
  }

  /** Sends a request. @param options.credential null sends none. @param options.body an object is sent as JSON. */
  async call<T = unknown>(
    method: string,
    path: string,
    options: { credential?: string | null; body?: BodyInit | object; headers?: Record<string, string> } = {},
  ): Promise<ServiceResponse<T>> {
    const { credential = this.key, body } = options;
    const headers = new Headers(options.headers);
    if (credential !== null) headers.set('Authorization', `Bearer ${credential}`);
    const init: RequestInit & { duplex?: 'half' } = { method, headers };
    if (isPlain(body)) {
      headers.set('Content-Type', 'application/json');
      init.body = JSON.stringify(body);
    } else if (body !== undefined) {
      init.body = body as BodyInit;
      init.duplex = 'half';
    }
    const httpResponse = await fetch(this.url + path, init);
    const text = await httpResponse.text();
    const json =
      (httpResponse.headers.get('content-type') ?? '').includes('application/json') && text !== '' ? JSON.parse(text) : {};
    return { status: httpResponse.status, headers: httpResponse.headers, response: json.response as T, error: json };
  }

  async mint(options: UploadTokenOptions = {}): Promise<CreatedUploadToken> {
    const httpResponse = await this.call<CreatedUploadToken>('POST', '/v1/upload-tokens', { body: options });
    if (httpResponse.status !== 201) throw new Error(JSON.stringify(httpResponse.error));
    return httpResponse.response;
  }

  /** Uploads a file in a form, with the options before it. */
  upload(
    content: string | Uint8Array<ArrayBuffer>,
    name: string,
    options: { credential?: string; fields?: Record<string, string>; type?: string; headers?: Record<string, string> } = {},
  ): Promise<ServiceResponse<FileRecord>> {
    const form = new FormData();
    for (const [field, value] of Object.entries(options.fields ?? {})) form.append(field, value);
    form.append('file', new Blob([content], { type: options.type ?? 'text/plain' }), name);
    return this.call('POST', '/v1/files', {
      body: form,
      ...(options.credential !== undefined && { credential: options.credential }),
      ...(options.headers && { headers: options.headers }),
    });
  }

  put(path: string, content: BodyInit, options: { credential?: string; headers?: Record<string, string> } = {}) {
    return this.call<FileRecord>('PUT', `/v1/files/${path}`, { ...options, body: content });
  }

  async paths(): Promise<string[]> {
    const { response } = await this.call<{ files: FileRecord[] }>('GET', '/v1/files?limit=1000');
    return response.files.map((file) => file.path);
  }

  async bytesOf(id: string): Promise<Uint8Array> {
    const httpResponse = await fetch(`${this.url}/v1/files/${id}/content`, { headers: { Authorization: `Bearer ${this.key}` } });
    return new Uint8Array(await httpResponse.arrayBuffer());
  }

  /** Lists the blobs in the store. On a disk this includes incomplete ones. */
  async blobs(): Promise<string[]> {
    if (this.#store !== undefined) return blobsIn(this.#store);
    const folders = ['data', 'temp'].map((name) => join(this.dataDir, 'blobs', name));
    const entries = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
    return entries.flat().flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  }
}

/** Creates a service whose password hashes are cheap. Hashes with the default parameters take a core for half a second. */
async function createService(options: BlobServiceOptions): Promise<BlobService> {
  const service = await createBlobService(options);
  service.core.passwords.parameters = { logN: 10, r: 8, p: 1 };
  return service;
}

/** Sends a request with the path exactly as given. `fetch` would normalize it. */
export async function requestRaw(
  service: TestService,
  method: string,
  path: string,
  { credential, body }: { credential?: string; body?: string } = {},
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(service.url);
  const headers = credential === undefined ? {} : { Authorization: `Bearer ${credential}` };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk)).on('end', () => resolve({ status: response.statusCode!, text }));
    });
    sent.on('error', reject).end(body);
  });
}

const isPlain = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(body));

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlobService } from '../../server/service/index.js';
import type { BlobService, BlobServiceOptions } from '../../server/service/index.js';
import type { Scope } from '../../server/service/identity/scopes.js';
import type { CreatedUploadToken, FileRecord, UploadTokenOptions } from '../../src/protocol/types.js';
import { setClock } from '../support/database-clock.js';
import { BACKEND, blobsIn, roundRobin, storageFor } from './backend.js';

/** What a test sees of an answer. */
export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  /** `response` of a success. */
  response: T;
  /** The envelope of an error. */
  error: { code: string; message: string; path?: string; details: Record<string, unknown> };
}

/** The real service on a real port, over a data directory of its own. */
export class TestService {
  readonly service: BlobService;
  readonly url: string;
  /** Of one process, with no proxy before it. */
  readonly ownUrl: string;
  readonly dataDir: string;
  /** May read and write. */
  readonly key: string;
  readonly #store: string | undefined;
  /** Null without `s3Port`. */
  readonly s3Url: string | null;
  /** Undefined on SQLite. */
  readonly databaseUrl: string | undefined;
  /** Replicas besides `service`. */
  readonly #replicas: BlobService[];
  readonly #others: (() => Promise<void>)[];
  #now = Date.now;

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
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-service-')));
    const all = { port: 0, s3Port: false as const, dataDir, ...(await storageFor(dataDir)), ...options };
    const service = await createBlobService(all);
    const { url, s3Url } = await service.listen();
    const { secret } = await service.core.keys.create('main', { name: 'test', scopes: ['blob:read', 'blob:write'] });
    if (BACKEND !== 'replicas')
      return new TestService(service, [url, url], dataDir, secret, { ...all, s3Url }, { replicas: [], others: [] });
    const second = await createBlobService(all);
    const proxy = await roundRobin([url, (await second.listen()).url]);
    const others = [() => proxy.close(), () => second.close()];
    return new TestService(service, [proxy.url, url], dataDir, secret, { ...all, s3Url }, { replicas: [second], others });
  }

  /** Puts the clock that the service goes by forward: the machine's or the database's. Timers go on. @param time ms; 0: as it is. */
  async putForward(time: number): Promise<void> {
    if (this.databaseUrl === undefined) {
      const now = this.#now;
      Date.now = () => now() + time;
      return;
    }
    await setClock(this.databaseUrl, time);
    for (const { core } of [this.service, ...this.#replicas]) await core.measureSkew();
  }

  /** Ends its processes; what is stored stays. */
  async close(): Promise<void> {
    for (const close of this.#others) await close();
    await this.service.close();
  }

  async stop(): Promise<void> {
    await this.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  async newKey(scopes: Scope[], allowedIps: string[] = []): Promise<{ id: string; secret: string }> {
    return this.service.core.keys.create('main', { name: 'another', scopes, allowedIps });
  }

  /** `credential: null` sends none. An object becomes JSON. */
  async call<T = unknown>(
    method: string,
    path: string,
    options: { credential?: string | null; body?: BodyInit | object; headers?: Record<string, string> } = {},
  ): Promise<Answer<T>> {
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
    const answer = await fetch(this.url + path, init);
    const text = await answer.text();
    const json = (answer.headers.get('content-type') ?? '').includes('application/json') && text !== '' ? JSON.parse(text) : {};
    return { status: answer.status, headers: answer.headers, response: json.response as T, error: json };
  }

  async mint(options: UploadTokenOptions = {}): Promise<CreatedUploadToken> {
    const answer = await this.call<CreatedUploadToken>('POST', '/v1/upload-tokens', { body: options });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.error));
    return answer.response;
  }

  /** A form with one file, options before it. */
  upload(
    content: string | Uint8Array<ArrayBuffer>,
    name: string,
    options: { credential?: string; fields?: Record<string, string>; type?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer<FileRecord>> {
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
    const answer = await fetch(`${this.url}/v1/files/${id}/content`, { headers: { Authorization: `Bearer ${this.key}` } });
    return new Uint8Array(await answer.arrayBuffer());
  }

  /** Blobs in the store, on a disk also half ones. */
  async blobs(): Promise<string[]> {
    if (this.#store !== undefined) return blobsIn(this.#store);
    const folders = ['data', 'temp'].map((name) => join(this.dataDir, 'blobs', name));
    const entries = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
    return entries.flat().flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  }
}

/** Asks for a path as it is written, which fetch tidies up first. */
export async function askRaw(
  service: TestService,
  method: string,
  path: string,
  { credential, body }: { credential?: string; body?: string } = {},
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(service.url);
  const headers = credential === undefined ? {} : { Authorization: `Bearer ${credential}` };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += chunk)).on('end', () => resolve({ status: answer.statusCode!, text }));
    });
    sent.on('error', reject).end(body);
  });
}

const isPlain = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(body));

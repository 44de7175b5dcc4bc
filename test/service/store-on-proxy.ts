import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobServiceOptions } from '../../server/service/index.js';
import type { CreatedUploadToken, FileRecord, UploadTokenOptions } from '../../src/protocol/types.js';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { ActiveRule, FaultProxy, Rule } from '../../fault-proxy/fault-proxy.js';

const Bucket = 'store';

/** A service whose blobs are in an S3 store behind a fault proxy. The store is the S3 endpoint of another service. */
export class ServiceOnProxy {
  readonly #faults: ActiveRule[] = [];

  private constructor(
    readonly engine: TestEndpoint,
    readonly proxy: FaultProxy,
    readonly service: TestEndpoint,
    readonly dataDir: string,
  ) {}

  /** @param timeout seconds after which a silent store counts as unreachable. */
  static async start(timeout = 1, options: BlobServiceOptions = {}): Promise<ServiceOnProxy> {
    const engine = await TestEndpoint.start();
    const proxy = await startFaultProxy(engine.url);
    await engine.client().send(new CreateBucketCommand({ Bucket }));
    process.env['AWS_ACCESS_KEY_ID'] = engine.pair.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = engine.pair.secretAccessKey;
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-on-proxy-'));
    const store = `s3://${Bucket}?endpoint=${proxy.url}&region=us-east-1&timeout=${timeout}`;
    const service = await TestEndpoint.start({ ...options, dataDir, store });
    return new ServiceOnProxy(engine, proxy, service, dataDir);
  }

  /** Adds a fault to requests of the service to its store, until `removeFaults`. */
  addFault(rule: Rule): ActiveRule {
    const active = this.proxy.on(rule);
    this.#faults.push(active);
    return active;
  }

  removeFaults(): void {
    for (const fault of this.#faults.splice(0)) fault.remove();
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.proxy.close();
    await this.engine.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** Sends a request to the REST API. */
  request(method: string, path: string, options: { key?: string; headers?: Record<string, string>; body?: BodyInit } = {}) {
    const { key = this.service.apiKey, headers, body } = options;
    return fetch(this.service.restUrl + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...headers },
      ...(body !== undefined && { body, duplex: 'half' }),
    } as RequestInit);
  }

  async put(path: string, body: BodyInit): Promise<FileRecord> {
    const httpResponse = await this.request('PUT', `/v1/files/${path}?visibility=public`, { body });
    if (httpResponse.status !== 201) throw new Error(`${httpResponse.status} ${await httpResponse.text()}`);
    return ((await httpResponse.json()) as { response: FileRecord }).response;
  }

  async mint(options: UploadTokenOptions): Promise<CreatedUploadToken> {
    const headers = { 'Content-Type': 'application/json' };
    const httpResponse = await this.request('POST', '/v1/upload-tokens', { body: JSON.stringify(options), headers });
    return ((await httpResponse.json()) as { response: CreatedUploadToken }).response;
  }

  /** Lists the blobs in the store itself. */
  blobs = async (): Promise<string[]> => {
    const { core } = this.engine.service;
    const bucket = (await core.blobs.findBucket(Bucket))!;
    const { files } = await core.blobs.list({ accountId: bucket.accountId, bucketId: bucket.id }, { limit: 1000 });
    return files.map((file) => file.key).filter((key) => key !== 'probe');
  };

  /** Reads a metric. @param line its name with labels. @returns 0 if it is absent. */
  async metric(line: string): Promise<number> {
    const text = await (await this.request('GET', '/metrics')).text();
    const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `));
    return Number(found?.slice(line.length) ?? 0);
  }
}

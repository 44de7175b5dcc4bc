import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreatedUploadToken, FileRecord } from '../../src/protocol/types.js';
import { parseFileId, sha256, createRandomBytes } from './chaos-files.js';
import type { OneUseToken, Reply, StoredFile } from './chaos-files.js';
import type { Replica, Replicas } from './replicas.js';

/** Milliseconds after which a request counts as hanging, even while a replica is paused. */
const PATIENCE = 120_000;
const Bucket = 'main';
const TUS = { 'Tus-Resumable': '1.0.0' };

/** Statuses that ask a client to retry, or say that its request came too late. */
const EXPECTED = new Set([408, 409, 503, 507]);
/** Errors of a file that another client deleted, or of a token that another client used. */
const REFUSALS = new Set(['FILE_NOT_FOUND', 'BLOB_UPLOAD_TOKEN_INVALID']);

/** Clients of every kind, which continue after every failure and record what the service acknowledged. */
export class ChaosClients {
  readonly files: StoredFile[] = [];
  readonly tokens: OneUseToken[] = [];
  /** Violations of a guarantee. */
  readonly violations: string[] = [];
  readonly counts: Record<string, number> = {};
  readonly #stop = new AbortController();
  readonly #s3: S3Client[];

  constructor(
    private readonly replicas: Replicas,
    pair: { accessKeyId: string; secretAccessKey: string },
    /** Returns the active failures, for the violations. */
    private readonly activeFailures: () => string,
  ) {
    const options = { region: 'us-east-1', forcePathStyle: true, credentials: pair, maxAttempts: 1 };
    this.#s3 = replicas.all.map(({ process }) => new S3Client({ ...options, endpoint: process.s3Url }));
  }

  /** Resolves when all clients have ended after `stop`. */
  async run(): Promise<void> {
    const kinds = [this.#put, this.#put, this.#oneUse, this.#tus, this.#multipart, this.#read, this.#read, this.#delete];
    await Promise.all(
      kinds.map(async (kind) => {
        while (!this.#stop.signal.aborted) {
          await kind.call(this);
          await sleep(randomInt(50));
        }
      }),
    );
    for (const client of this.#s3) client.destroy();
  }

  stop(): void {
    this.#stop.abort();
  }

  #pickReplica(): Replica {
    return this.replicas.all[randomInt(this.replicas.all.length)]!;
  }

  #reportViolation(what: string): void {
    this.violations.push(`${what} [${this.activeFailures()}]`);
  }

  /** @returns undefined if the connection broke */
  async #send(
    replica: Replica,
    method: string,
    path: string,
    options: { headers?: Record<string, string>; body?: BodyInit; credential?: string; signal?: AbortSignal } = {},
  ): Promise<Reply | undefined> {
    const { body, credential = this.replicas.key } = options;
    const headers = { Authorization: `Bearer ${credential}`, ...options.headers };
    const late = AbortSignal.timeout(PATIENCE);
    const signal = options.signal ? AbortSignal.any([late, options.signal]) : late;
    try {
      const response = await fetch(replica.process.url + path, { method, headers, signal, ...(body !== undefined && { body }) });
      const text = await response.text();
      const code = response.ok ? '' : ((/"code":"(\w+)"/.exec(text) ?? [])[1] ?? '');
      this.#checkStatus(
        `${method} ${path.replace(/[\w-]{20,}.*/, '…')}`,
        response.status,
        code,
        response.headers.get('retry-after'),
      );
      return { status: response.status, code, headers: response.headers, text };
    } catch {
      if (late.aborted) this.#reportViolation(`${method} ${path} had no response for ${PATIENCE} ms`);
      this.#count('broken');
      return undefined;
    }
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  #checkStatus(what: string, status: number, code: string, retryAfter: string | null): void {
    this.#count(status < 300 ? 'stored or read' : `${status} ${code}`);
    if (status === 503 && retryAfter === null) this.#reportViolation(`${what}: 503 without Retry-After`);
    // A stored object that is too short gives 500, see docs/operations/failures-object-store.md.
    const isReported = status === 500 && this.activeFailures().includes('store short');
    if (status >= 300 && !EXPECTED.has(status) && !REFUSALS.has(code) && !isReported)
      this.#reportViolation(`${what}: ${status} ${code}`);
  }

  /** Repeats a request at any replica until it gets a response. */
  async #sendUntilResponse(ask: (replica: Replica) => Promise<Reply | undefined>): Promise<Reply | undefined> {
    for (let tries = 0; tries < 200 && !this.#stop.signal.aborted; tries++) {
      const reply = await ask(this.#pickReplica());
      if (reply && ![408, 503, 507].includes(reply.status) && reply.code !== 'OPERATION_IN_PROGRESS') return reply;
      await sleep(100 + randomInt(400));
    }
    return undefined;
  }

  #stored(path: string, bytes: Uint8Array, reply: Reply | undefined): boolean {
    if (!reply || (reply.status !== 200 && reply.status !== 201)) return false;
    const { response } = JSON.parse(reply.text) as { response: FileRecord };
    const hash = sha256(bytes);
    if (response.sha256 !== hash) this.#reportViolation(`${path}: the response has another hash`);
    this.files.push({ path: response.path, sha256: hash, state: 'there' });
    return true;
  }

  async #put(): Promise<void> {
    const path = `put/${randomUUID()}.bin`;
    const bytes = createRandomBytes();
    const headers = { 'Idempotency-Key': randomUUID() };
    const ask = (replica: Replica) => this.#send(replica, 'PUT', `/v1/files/${path}`, { headers, body: bytes });
    const reply = await this.#sendUntilResponse(ask);
    if (reply && !this.#stored(path, bytes, reply))
      this.#reportViolation(`PUT ${path} with a key ended with ${reply.status} ${reply.code}`);
    // A repeat of an acknowledged upload returns the same file.
    const again = reply && randomInt(4) === 0 ? await this.#sendUntilResponse(ask) : undefined;
    if (again && parseFileId(again) !== parseFileId(reply!))
      this.#reportViolation(`PUT ${path}: the repeat made another file (${again.status})`);
  }

  async #oneUse(): Promise<void> {
    const prefix = `one-use/${randomUUID()}`;
    const body = JSON.stringify({ prefix, max_uses: 1, expires_in: 3600 });
    const headers = { 'Content-Type': 'application/json' };
    const minted = await this.#sendUntilResponse((replica) =>
      this.#send(replica, 'POST', '/v1/upload-tokens', { headers, body }),
    );
    if (minted?.status !== 201) return;
    const { id, token } = (JSON.parse(minted.text) as { response: CreatedUploadToken }).response;
    const noted: OneUseToken = { id, prefix, stored: 0 };
    this.tokens.push(noted);
    await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        const bytes = randomBytes(randomInt(200_000));
        const form = new FormData();
        form.append('file', new Blob([bytes]), `${index}.bin`);
        const ask = (replica: Replica) =>
          this.#send(replica, 'POST', '/v1/files', {
            credential: token,
            headers: { 'Idempotency-Key': `${prefix}/${index}` },
            body: form,
          });
        if (this.#stored(prefix, bytes, await this.#sendUntilResponse(ask))) noted.stored += 1;
      }),
    );
    if (noted.stored > 1) this.#reportViolation(`a one-use token stored ${noted.stored} files`);
  }

  async #tus(): Promise<void> {
    const bytes = Buffer.concat([Buffer.from('t'), createRandomBytes()]);
    const name = `${randomUUID()}.bin`;
    const described = `filename ${Buffer.from(name).toString('base64')}`;
    const headers = { ...TUS, 'Idempotency-Key': randomUUID() };
    const creating = { ...headers, 'Upload-Length': `${bytes.length}`, 'Upload-Metadata': described };
    const made = await this.#sendUntilResponse((replica) => this.#send(replica, 'POST', '/v1/uploads', { headers: creating }));
    if (made?.status !== 201) return;
    const place = made.headers.get('location')!;
    for (let tries = 0; tries < 100 && !this.#stop.signal.aborted; tries++) {
      const asked = await this.#sendUntilResponse((replica) => this.#send(replica, 'HEAD', place, { headers }));
      const offset = Number(asked?.headers.get('upload-offset') ?? Number.NaN);
      if (Number.isNaN(offset)) return;
      const piece = bytes.subarray(offset, offset + 1 + randomInt(bytes.length));
      const type = { 'Upload-Offset': `${offset}`, 'Content-Type': 'application/offset+octet-stream' };
      const body = new Uint8Array(piece);
      const reply = await this.#send(this.#pickReplica(), 'PATCH', place, { headers: { ...headers, ...type }, body });
      if (reply && this.#stored(name, bytes, reply)) return;
      if (!reply || reply.status >= 300) await sleep(200);
    }
  }

  async #multipart(): Promise<void> {
    const Key = `s3/${randomUUID()}.bin`;
    const parts = [...(randomInt(2) ? [randomBytes(5 * 1024 * 1024)] : []), randomBytes(randomInt(300_000))];
    const UploadId = (await this.#command(async (client) => client.send(new CreateMultipartUploadCommand({ Bucket, Key }))))
      ?.UploadId;
    if (UploadId === undefined) return;
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (const [index, Body] of parts.entries()) {
      const part = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: index + 1, Body });
      const done = await this.#command((client) => client.send(part));
      if (!done) return;
      Parts.push({ PartNumber: index + 1, ETag: done.ETag });
    }
    const complete = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
    const completions = await Promise.all([1, 2].map(() => this.#command((client) => client.send(complete))));
    const etags = new Set(completions.flatMap((completion) => (completion ? [completion.ETag] : [])));
    if (etags.size > 1) this.#reportViolation(`two completions of ${Key} name ${[...etags].join(' and ')}`);
    if (etags.size > 0) this.files.push({ path: Key, sha256: sha256(Buffer.concat(parts)), state: 'there' });
  }

  /** Sends a command to either endpoint until it succeeds or is refused for good. */
  async #command<T>(send: (client: S3Client) => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; tries < 200 && !this.#stop.signal.aborted; tries++) {
      try {
        const result = await Promise.race([
          send(this.#s3[randomInt(this.#s3.length)]!),
          sleep(PATIENCE, undefined, { ref: false }).then(() => {
            throw new Error('no response');
          }),
        ]);
        this.#count('stored or read');
        return result;
      } catch (cause) {
        const { name, message, $metadata, $response } = cause as Error & {
          $metadata?: { httpStatusCode?: number };
          $response?: { headers?: Record<string, string> };
        };
        const status = $metadata?.httpStatusCode;
        if (message === 'no response') this.#reportViolation(`S3 had no response for ${PATIENCE} ms`);
        if (status === undefined) this.#count('broken');
        else {
          const { headers = {} } = $response ?? {};
          // The response to a slow completion is sent in chunks, and begins with the status 200, which the SDK replaces by 503 if its body has an error.
          this.#checkStatus('S3', status, name, 'transfer-encoding' in headers ? 'late' : (headers['retry-after'] ?? null));
        }
        if (status !== undefined && status !== 500 && !EXPECTED.has(status)) return undefined;
        await sleep(100 + randomInt(400));
      }
    }
    return undefined;
  }

  async #read(): Promise<void> {
    const file = this.files.length > 0 ? this.files[randomInt(this.files.length)]! : undefined;
    if (!file) return;
    const before = file.state;
    await this.check(file, before, this.#pickReplica());
  }

  /** Compares a stored file with what was acknowledged. @returns whether the service responded */
  async check(file: StoredFile, before: StoredFile['state'], replica: Replica): Promise<boolean> {
    const path = `/v1/files?prefix=${encodeURIComponent(file.path)}&limit=1`;
    const listed = await this.#send(replica, 'GET', path);
    if (listed?.status !== 200) return false;
    const { files } = (JSON.parse(listed.text) as { response: { files: FileRecord[] } }).response;
    const record = files.find((one) => one.path === file.path);
    if (!record) {
      if (before === 'there' && file.state === 'there') this.#reportViolation(`${file.path} was acknowledged and is missing`);
      return true;
    }
    if (before === 'deleted') this.#reportViolation(`${file.path} was deleted and is there`);
    const headers = { Authorization: `Bearer ${this.replicas.key}` };
    try {
      const url = `${replica.process.url}/v1/files/${record.id}/content`;
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE) });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const code = response.ok ? '' : ((/"code":"(\w+)"/.exec(Buffer.from(bytes).toString()) ?? [])[1] ?? '');
      this.#checkStatus('GET content', response.status, code, response.headers.get('retry-after'));
      if (!response.ok) return false;
      if (sha256(bytes) !== file.sha256) this.#reportViolation(`${file.path} was read with other bytes`);
      return true;
    } catch {
      this.#count('broken');
      return false;
    }
  }

  async #delete(): Promise<void> {
    await sleep(500);
    const file = this.files.find((one) => one.state === 'there' && randomInt(8) === 0);
    if (!file) return;
    const listed = await this.#send(this.#pickReplica(), 'GET', `/v1/files?prefix=${encodeURIComponent(file.path)}&limit=1`);
    if (listed?.status !== 200) return;
    const { files } = (JSON.parse(listed.text) as { response: { files: FileRecord[] } }).response;
    const id = files.find((one) => one.path === file.path)?.id;
    if (id === undefined) return;
    file.state = 'unknown';
    const reply = await this.#sendUntilResponse((replica) => this.#send(replica, 'DELETE', `/v1/files/${id}`));
    if (reply) file.state = 'deleted';
  }
}

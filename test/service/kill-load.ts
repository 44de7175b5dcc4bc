import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchResult, CreatedUploadToken, FileRecord } from '../../src/protocol/types.js';

/** The URLs and credentials of the service under load. */
export interface Target {
  url: string;
  key: string;
  s3: { url: string; accessKeyId: string; secretAccessKey: string };
}

/** An upload that was sent: its content, whether it got a response, and how to repeat it. */
export interface Attempt {
  kind: 'put' | 'form' | 'batch' | 'tus' | 's3';
  /** The path or folder of the file, which only this attempt uses. */
  path: string;
  sha256: string;
  size: number;
  isAcknowledged: boolean;
  /** Repeats the upload with its idempotency key; undefined over S3, which has none. */
  repeat?: () => Promise<FileRecord>;
  token?: string;
}

/** Repeats an upload until it is stored. A service that was killed first has to release the earlier attempt. */
export async function repeatUntilStored(attempt: Attempt): Promise<FileRecord> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt.repeat!();
    } catch (cause) {
      if (tries === 100) throw cause;
      // The interval between two attempts, as clients wait before a retry.
      await sleep(50);
    }
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** Creates a random body: mostly small, so that kills cost little, and sometimes larger than one piece of a resumable upload. */
const randomBody = (largest: number): Buffer<ArrayBuffer> => {
  const size = randomInt(10) < 9 ? randomInt(40_000) : randomInt(largest);
  return Buffer.from(randomBytes(size));
};

async function readResponse<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return (JSON.parse(text) as { response: T }).response;
}

/** Sends uploads of every kind until the service is killed. */
export class Load {
  readonly attempts: Attempt[] = [];
  /** Errors before `stop`. */
  readonly failures: unknown[] = [];
  readonly tokens = new Map<string, { id: string; prefix: string }>();
  #isStopped = false;

  constructor(private readonly target: Target) {}

  /** Uploads with eight workers. Resolves when every worker has failed or stopped. */
  async run(): Promise<void> {
    const kinds = [() => this.#put(), () => this.#form(), () => this.#batch(), () => this.#tus(), () => this.#s3()];
    const worker = async (index: number) => {
      for (let round = index; !this.#isStopped; round++) await kinds[round % kinds.length]!();
    };
    const fail = (cause: unknown) => void (this.#isStopped || this.failures.push(cause));
    await Promise.all(Array.from({ length: 8 }, (_, index) => worker(index).catch(fail)));
  }

  /** Ends the workers after their current upload. Later errors are expected, because the service is killed. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves when this many uploads got a response, or one has failed. */
  async waitForResponses(count: number): Promise<void> {
    while (this.failures.length === 0 && this.attempts.filter((attempt) => attempt.isAcknowledged).length < count) await sleep(5);
  }

  /** Sends one upload of a kind. */
  uploadOnce(kind: Attempt['kind']): Promise<void> {
    return {
      put: () => this.#put(),
      form: () => this.#form(),
      batch: () => this.#batch(),
      tus: () => this.#tus(),
      s3: () => this.#s3(),
    }[kind]();
  }

  async mint(): Promise<string> {
    const prefix = `t/${randomUUID()}`;
    const response = await fetch(`${this.target.url}/v1/upload-tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.target.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prefix, max_uses: 100, expires_in: 3600 }),
    });
    const { id, token } = await readResponse<CreatedUploadToken>(response);
    this.tokens.set(token, { id, prefix });
    return token;
  }

  #begin(attempt: Omit<Attempt, 'isAcknowledged' | 'sha256' | 'size'>, bytes: Uint8Array): Attempt {
    const begun = { ...attempt, sha256: sha256(bytes), size: bytes.byteLength, isAcknowledged: false };
    this.attempts.push(begun);
    return begun;
  }

  async #put(): Promise<void> {
    const bytes = randomBody(3_000_000);
    const path = `put/${randomUUID()}.bin`;
    const key = randomUUID();
    const repeat = async () =>
      readResponse<FileRecord>(
        await fetch(`${this.target.url}/v1/files/${path}`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${this.target.key}`, 'idempotency-key': key },
          body: bytes,
        }),
      );
    const attempt = this.#begin({ kind: 'put', path: path, repeat }, bytes);
    await repeat();
    attempt.isAcknowledged = true;
  }

  async #form(): Promise<void> {
    const token = await this.mint();
    for (let count = 0; count < 3; count++) {
      const bytes = randomBody(1_000_000);
      const prefix = `${this.tokens.get(token)!.prefix}/${randomUUID()}`;
      const key = randomUUID();
      const repeat = async () => {
        const form = new FormData();
        form.append('prefix', prefix);
        form.append('file', new Blob([bytes]), 'form.bin');
        const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
        return readResponse<FileRecord>(await fetch(`${this.target.url}/v1/files`, { method: 'POST', headers, body: form }));
      };
      const attempt = this.#begin({ kind: 'form', path: prefix, repeat, token }, bytes);
      await repeat();
      attempt.isAcknowledged = true;
    }
  }

  async #batch(): Promise<void> {
    const token = await this.mint();
    const prefix = `${this.tokens.get(token)!.prefix}/${randomUUID()}`;
    const files = Array.from({ length: 5 }, (_, index) => ({
      key: randomUUID(),
      name: `${index}.bin`,
      bytes: randomBody(60_000),
    }));
    const send = async () => {
      const body = Buffer.concat([
        ...files.flatMap(({ key, name, bytes }) => [
          Buffer.from(
            `--b0und\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nIdempotency-Key: ${key}\r\n\r\n`,
          ),
          bytes,
          Buffer.from('\r\n'),
        ]),
        Buffer.from('--b0und--\r\n'),
      ]);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=b0und' };
      const address = `${this.target.url}/v1/files/batch?prefix=${encodeURIComponent(prefix)}`;
      return readResponse<{ results: BatchResult[] }>(await fetch(address, { method: 'POST', headers, body }));
    };
    const attempts = files.map(({ bytes }, index) => {
      const repeat = async () => {
        const result = (await send()).results[index]!;
        if (!('file' in result)) throw new Error(JSON.stringify(result));
        return result.file;
      };
      return this.#begin({ kind: 'batch', path: `${prefix}/${index}-`, repeat, token }, bytes);
    });
    for (const [index, result] of (await send()).results.entries()) attempts[index]!.isAcknowledged = 'file' in result;
  }

  async #tus(): Promise<void> {
    const token = await this.mint();
    const bytes = Buffer.concat([Buffer.from('t'), randomBody(12_000_000)]);
    const prefix = `${this.tokens.get(token)!.prefix}/${randomUUID()}`;
    const metadata = { filename: 'tus.bin', prefix };
    const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0', 'idempotency-key': randomUUID() };
    const repeat = async (): Promise<FileRecord> => {
      const encoded = Object.entries(metadata).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
      const created = await fetch(`${this.target.url}/v1/uploads`, {
        method: 'POST',
        headers: { ...headers, 'upload-length': String(bytes.length), 'upload-metadata': encoded.join(',') },
      });
      if (created.status === 200) return readResponse(created);
      const location = created.headers.get('location');
      let offset = Number(created.headers.get('upload-offset'));
      const text = await created.text();
      if (!created.ok) throw new Error(`${created.status} ${text}`);
      if (text !== '') return (JSON.parse(text) as { response: FileRecord }).response;
      for (;;) {
        // A long body is sent in two requests, so that some kills happen between them.
        const body = bytes.subarray(offset, offset === 0 && bytes.length > 4_000_000 ? bytes.length / 2 : undefined);
        const sent = await fetch(this.target.url + location, {
          method: 'PATCH',
          headers: { ...headers, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
          body,
        });
        if (sent.status === 200) return readResponse(sent);
        if (sent.status !== 204) throw new Error(`${sent.status} ${await sent.text()}`);
        offset = Number(sent.headers.get('upload-offset'));
      }
    };
    const attempt = this.#begin({ kind: 'tus', path: prefix, repeat, token }, bytes);
    await repeat();
    attempt.isAcknowledged = true;
  }

  async #s3(): Promise<void> {
    const { url, accessKeyId, secretAccessKey } = this.target.s3;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 });
    const Key = `s3/${randomUUID()}.bin`;
    // Every third object has two parts, the first of S3's minimum size.
    const parts = [...(randomInt(3) === 0 ? [Buffer.from(randomBytes(5 * 1024 * 1024))] : []), randomBody(300_000)];
    const attempt = this.#begin({ kind: 's3', path: Key }, Buffer.concat(parts));
    try {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: 'main', Key }));
      const Parts = [];
      for (const [index, Body] of parts.entries()) {
        const PartNumber = index + 1;
        const { ETag } = await client.send(new UploadPartCommand({ Bucket: 'main', Key, UploadId, PartNumber, Body }));
        Parts.push({ PartNumber, ETag });
      }
      const command = new CompleteMultipartUploadCommand({ Bucket: 'main', Key, UploadId, MultipartUpload: { Parts } });
      await client.send(command);
      attempt.isAcknowledged = true;
    } finally {
      client.destroy();
    }
  }
}

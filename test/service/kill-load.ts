import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchResult, CreatedUploadToken, FileRecord } from '../../src/protocol/types.js';

/** Where the service under load answers, and what opens it. */
export interface Target {
  url: string;
  key: string;
  s3: { url: string; accessKeyId: string; secretAccessKey: string };
}

/** A file somebody tried to upload: whether it was answered, and how to ask again. */
export interface Attempt {
  kind: 'put' | 'form' | 'batch' | 'tus' | 's3';
  /** The folder or path it goes to; unique to this attempt. */
  place: string;
  sha256: string;
  size: number;
  answered: boolean;
  /** Repeats it under the same idempotency key; undefined where there is none (S3, a PUT without one). */
  again?: () => Promise<FileRecord>;
  token?: string;
}

/** Until it is answered; what is still being cleared away asks for patience. */
export async function insist(attempt: Attempt): Promise<FileRecord> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt.again!();
    } catch (cause) {
      if (tries === 100) throw cause;
      await sleep(50);
    }
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** Mostly small, some beyond what travels in one packet, some beyond one piece of a resumable upload. */
const someBytes = (largest: number): Buffer<ArrayBuffer> => {
  const size = randomInt(10) < 7 ? randomInt(40_000) : randomInt(largest);
  return Buffer.from(randomBytes(size));
};

async function answerOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return (JSON.parse(text) as { response: T }).response;
}

/** Uploads of every kind, again and again, until the service is gone. */
export class Load {
  readonly attempts: Attempt[] = [];
  /** What went wrong while the service was there. */
  readonly failures: unknown[] = [];
  readonly tokens = new Map<string, { id: string; prefix: string }>();
  #stopped = false;

  constructor(private readonly target: Target) {}

  /** Resolves when every worker has seen that the service is gone. */
  async run(): Promise<void> {
    const kinds = [() => this.#put(), () => this.#form(), () => this.#batch(), () => this.#tus(), () => this.#s3()];
    const worker = async (index: number) => {
      for (let round = index; !this.#stopped; round++) await kinds[round % kinds.length]!();
    };
    const fail = (cause: unknown) => void (this.#stopped || this.failures.push(cause));
    await Promise.all(Array.from({ length: 8 }, (_, index) => worker(index).catch(fail)));
  }

  /** From here on failures are what was wanted. */
  stop(): void {
    this.#stopped = true;
  }

  /** Resolves when so many uploads were answered. */
  async answered(count: number): Promise<void> {
    while (this.failures.length === 0 && this.attempts.filter((attempt) => attempt.answered).length < count)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** One upload of a kind, tried once. */
  once(kind: Attempt['kind']): Promise<void> {
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
    const { id, token } = await answerOf<CreatedUploadToken>(response);
    this.tokens.set(token, { id, prefix });
    return token;
  }

  #begin(attempt: Omit<Attempt, 'answered' | 'sha256' | 'size'>, bytes: Uint8Array): Attempt {
    const whole = { ...attempt, sha256: sha256(bytes), size: bytes.byteLength, answered: false };
    this.attempts.push(whole);
    return whole;
  }

  async #put(): Promise<void> {
    const bytes = someBytes(3_000_000);
    const path = `put/${randomUUID()}.bin`;
    const key = randomUUID();
    const again = async () =>
      answerOf<FileRecord>(
        await fetch(`${this.target.url}/v1/files/${path}`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${this.target.key}`, 'idempotency-key': key },
          body: bytes,
        }),
      );
    const attempt = this.#begin({ kind: 'put', place: path, again }, bytes);
    await again();
    attempt.answered = true;
  }

  async #form(): Promise<void> {
    const token = await this.mint();
    for (let count = 0; count < 3; count++) {
      const bytes = someBytes(1_000_000);
      const prefix = `${this.tokens.get(token)!.prefix}/${randomUUID()}`;
      const key = randomUUID();
      const again = async () => {
        const form = new FormData();
        form.append('prefix', prefix);
        form.append('file', new Blob([bytes]), 'form.bin');
        const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
        return answerOf<FileRecord>(await fetch(`${this.target.url}/v1/files`, { method: 'POST', headers, body: form }));
      };
      const attempt = this.#begin({ kind: 'form', place: prefix, again, token }, bytes);
      await again();
      attempt.answered = true;
    }
  }

  async #batch(): Promise<void> {
    const token = await this.mint();
    const prefix = `${this.tokens.get(token)!.prefix}/${randomUUID()}`;
    const files = Array.from({ length: 5 }, (_, index) => ({
      key: randomUUID(),
      name: `${index}.bin`,
      bytes: someBytes(60_000),
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
      return answerOf<{ results: BatchResult[] }>(await fetch(address, { method: 'POST', headers, body }));
    };
    const attempts = files.map(({ bytes }, index) => {
      const again = async () => {
        const result = (await send()).results[index]!;
        if (!('file' in result)) throw new Error(JSON.stringify(result));
        return result.file;
      };
      return this.#begin({ kind: 'batch', place: `${prefix}/${index}-`, again, token }, bytes);
    });
    for (const [index, result] of (await send()).results.entries()) attempts[index]!.answered = 'file' in result;
  }

  async #tus(): Promise<void> {
    const token = await this.mint();
    const bytes = Buffer.concat([Buffer.from('t'), someBytes(12_000_000)]);
    const prefix = `${this.tokens.get(token)!.prefix}/${randomUUID()}`;
    const entries = { filename: 'tus.bin', prefix };
    const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0', 'idempotency-key': randomUUID() };
    const again = async (): Promise<FileRecord> => {
      const described = Object.entries(entries).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
      const made = await fetch(`${this.target.url}/v1/uploads`, {
        method: 'POST',
        headers: { ...headers, 'upload-length': String(bytes.length), 'upload-metadata': described.join(',') },
      });
      if (made.status === 200) return answerOf(made);
      const place = made.headers.get('location');
      let offset = Number(made.headers.get('upload-offset'));
      const done = await made.text();
      if (!made.ok) throw new Error(`${made.status} ${done}`);
      if (done !== '') return (JSON.parse(done) as { response: FileRecord }).response;
      for (;;) {
        // In two requests where it is long, so that kills fall between them too.
        const body = bytes.subarray(offset, offset === 0 && bytes.length > 4_000_000 ? bytes.length / 2 : undefined);
        const sent = await fetch(this.target.url + place, {
          method: 'PATCH',
          headers: { ...headers, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
          body,
        });
        if (sent.status === 200) return answerOf(sent);
        if (sent.status !== 204) throw new Error(`${sent.status} ${await sent.text()}`);
        offset = Number(sent.headers.get('upload-offset'));
      }
    };
    const attempt = this.#begin({ kind: 'tus', place: prefix, again, token }, bytes);
    await again();
    attempt.answered = true;
  }

  async #s3(): Promise<void> {
    const { url, accessKeyId, secretAccessKey } = this.target.s3;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 });
    const Key = `s3/${randomUUID()}.bin`;
    // Every third of two parts, of which the first has the least size there is.
    const parts = [...(randomInt(3) === 0 ? [Buffer.from(randomBytes(5 * 1024 * 1024))] : []), someBytes(300_000)];
    const attempt = this.#begin({ kind: 's3', place: Key }, Buffer.concat(parts));
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
      attempt.answered = true;
    } finally {
      client.destroy();
    }
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookReceiver } from './webhook-receiver.js';

/** Files of one request. */
const BATCH = 25;
/** Wait before a batch is repeated that failed, or that met a killed process. */
const RETRY_WAIT_MS = 50;
/** Wait that the service names (`retry_after`) while an earlier upload with the same key runs. */
const IN_PROGRESS_WAIT_MS = 1000;

interface BatchResult {
  file?: { path: string };
  code?: string;
}

/** Stores files through replicas that may be killed, and compares the events with the files. */
export class WebhookLoad {
  /** Files that the service acknowledged. */
  readonly stored = new Set<string>();
  #turn = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly key: string,
  ) {}

  async createWebhook(url: string): Promise<void> {
    const headers = { ...this.#authorization, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ url, events: ['file.created'] });
    const response = await fetch(`${this.urls[0]}/v1/webhooks`, { method: 'POST', headers, body });
    if (response.status !== 201) throw new Error(await response.text());
  }

  /** Stores `count` files in batches. Repeats the files of a batch, with their keys, until they are stored. */
  async run(count: number, workers: number): Promise<void> {
    let remaining = count;
    const worker = async () => {
      while (remaining > 0) {
        const size = Math.min(BATCH, remaining);
        remaining -= size;
        await this.#storeBatch(size);
      }
    };
    await Promise.all(Array.from({ length: workers }, worker));
  }

  /** Resolves when this many files are stored. */
  async waitForStored(count: number): Promise<void> {
    while (this.stored.size < count) await sleep(5);
  }

  /** Paths of stored files without an event. */
  missing(receiver: WebhookReceiver): string[] {
    const arrived = new Set(receiver.received.map(({ event }) => event.data.file.path));
    return [...this.stored].filter((path) => !arrived.has(path));
  }

  get #authorization() {
    return { Authorization: `Bearer ${this.key}` };
  }

  async #storeBatch(size: number): Promise<void> {
    const prefix = `load/${randomUUID()}`;
    let waiting = Array.from({ length: size }, (_, index) => ({ name: `${index}.txt`, key: randomUUID() }));
    for (;;) {
      const results = await this.#send(prefix, waiting);
      for (const { file } of results) if (file) this.stored.add(file.path);
      // Without a response, the process was killed and the whole batch is repeated.
      waiting = waiting.filter((_, index) => !results[index]?.file);
      if (waiting.length === 0) return;
      // The keys of a killed replica stay in progress until its lease ends.
      await sleep(results.some(({ code }) => code === 'OPERATION_IN_PROGRESS') ? IN_PROGRESS_WAIT_MS : RETRY_WAIT_MS);
    }
  }

  /** Sends files in one request. @returns their results in order; none if the process was killed */
  async #send(prefix: string, files: readonly { name: string; key: string }[]): Promise<BatchResult[]> {
    const parts = files.map(
      ({ name, key }) =>
        `--b0und\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nIdempotency-Key: ${key}\r\n\r\n${key}\r\n`,
    );
    const body = `${parts.join('')}--b0und--\r\n`;
    const headers = { ...this.#authorization, 'Content-Type': 'multipart/form-data; boundary=b0und' };
    const url = this.urls[this.#turn++ % this.urls.length]!;
    return fetch(`${url}/v1/files/batch?prefix=${prefix}`, { method: 'POST', headers, body })
      .then(async (response) => ((await response.json()) as { response: { results: BatchResult[] } }).response.results)
      .catch(() => []);
  }
}

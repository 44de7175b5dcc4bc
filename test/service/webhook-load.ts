import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookReceiver } from './webhook-receiver.js';

/** Files of one request. */
const BATCH = 25;

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

  /** Stores `count` files in batches. Repeats each batch, with its keys, until it is stored. */
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
    const keys = Array.from({ length: size }, () => randomUUID());
    const body = `${keys
      .map(
        (key, index) =>
          `--b0und\r\nContent-Disposition: form-data; name="file"; filename="${index}.txt"\r\nIdempotency-Key: ${key}\r\n\r\n${key}\r\n`,
      )
      .join('')}--b0und--\r\n`;
    const headers = { ...this.#authorization, 'Content-Type': 'multipart/form-data; boundary=b0und' };
    for (;;) {
      const url = this.urls[this.#turn++ % this.urls.length]!;
      const address = `${url}/v1/files/batch?prefix=${prefix}`;
      const results = await fetch(address, { method: 'POST', headers, body })
        .then(
          async (response) =>
            ((await response.json()) as { response: { results: { file?: { path: string } }[] } }).response.results,
        )
        .catch(() => []);
      for (const { file } of results) if (file) this.stored.add(file.path);
      if (results.length === size && results.every(({ file }) => file)) return;
      // The interval between two attempts, as clients wait before a retry.
      await sleep(50);
    }
  }
}

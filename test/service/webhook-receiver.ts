import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FileRecord } from '../../src/protocol/types.js';

/** Fields of all events. Each event has some of them. */
export interface EventData {
  file: FileRecord;
  upload: { path: string; code: string; message: string };
  reason?: string;
  previous_path?: string;
}

/** A request that arrived at the receiver. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders & { 'webhook-id'?: string };
  body: string;
  event: { type: string; timestamp: string; data: EventData };
}

/** Accepts webhooks and remembers them. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Responds to a request; the default accepts it. */
  respond: (response: ServerResponse, request: Received) => void = (response) => response.end();
  readonly #server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const received = { path: request.url!, headers: request.headers, body, event: JSON.parse(body) as Received['event'] };
      this.received.push(received);
      this.respond(response, received);
    });
    request.on('error', () => {});
  });

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests to one path. */
  to(path: string): Received[] {
    return this.received.filter((request) => request.path === path);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

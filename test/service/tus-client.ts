import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileRecord } from '../../src/protocol/types.js';
import type { ServiceResponse, TestService } from './support.js';

export interface Creation {
  credential?: string | null;
  key?: string;
  length?: number;
  describe?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
}

interface Sent {
  credential?: string;
  headers?: Record<string, string>;
}

const metadata = (entries: Record<string, string>) =>
  Object.entries(entries)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/** The offset in a response. */
export const offsetOf = (response: ServiceResponse): number => Number(response.headers.get('upload-offset'));
export const locationOf = (response: ServiceResponse): string => response.headers.get('location')!;

/** Sends single tus requests. */
export class TusClient {
  constructor(private readonly service: () => TestService) {}

  create({ credential, key, length = 10, describe: entries = { filename: 'a.txt' }, headers, body }: Creation = {}): Promise<
    ServiceResponse<FileRecord>
  > {
    return this.service().call('POST', '/v1/uploads', {
      ...(credential !== undefined && { credential }),
      headers: {
        'Tus-Resumable': '1.0.0',
        'Upload-Length': String(length),
        'Upload-Metadata': metadata(entries),
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...(body && { 'Content-Type': 'application/offset+octet-stream' }),
        ...headers,
      },
      ...(body && { body }),
    });
  }

  head(path: string, options: Sent = {}): Promise<ServiceResponse> {
    return this.service().call('HEAD', path, { ...options, headers: { 'Tus-Resumable': '1.0.0', ...options.headers } });
  }

  send(path: string, offset: number, body: BodyInit, options: Sent = {}): Promise<ServiceResponse<FileRecord>> {
    return this.service().call('PATCH', path, {
      ...options,
      body,
      headers: {
        'Tus-Resumable': '1.0.0',
        'Upload-Offset': String(offset),
        'Content-Type': 'application/offset+octet-stream',
        ...options.headers,
      },
    });
  }

  /** Sends the head of a PATCH and some bytes over a separate socket, which stays open until `cut`. */
  async startPatch(path: string, credential: string, offset: number, length: number, bytes: Uint8Array) {
    const { hostname, port } = new URL(this.service().url);
    const socket = connect(Number(port), hostname);
    let response = '';
    socket.on('data', (data) => (response += data.toString()));
    socket.on('error', () => {});
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `PATCH ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${credential}\r\nTus-Resumable: 1.0.0\r\n` +
        `Upload-Offset: ${offset}\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: ${length}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.write(bytes, resolve));
    return {
      cut: () => void socket.destroy(),
      response: async () => {
        await ended;
        return response;
      },
    };
  }

  /** Polls the offset until the condition holds, at most five seconds. @returns the last offset. */
  async waitForOffset(path: string, isReached: (offset: number) => boolean): Promise<number> {
    for (let tries = 0; ; tries++) {
      const offset = offsetOf(await this.head(path));
      if (isReached(offset) || tries === 100) return offset;
      // The interval between two polls.
      await sleep(50);
    }
  }
}

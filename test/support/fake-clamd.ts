import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A text that only the signature of these tests finds. It does no harm. */
export const TEST_VIRUS = 'svc-uploader test signature 7d1f0c9a52b84e63: this text is harmless';
/** clamd refuses longer files. */
export const STREAM_MAX_BYTES = 2 * 1024 ** 2;

/** Decides the reply to a received file. A string is sent with its final NUL. */
type Answer = (bytes: Buffer, socket: Socket) => string | undefined | Promise<string | undefined>;

/** A server that speaks the part of clamd's protocol that the service uses. Tests make it fail. */
export class FakeClamd {
  static readonly signature = 'SvcUploader.Fake';
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Files that arrived whole, by arrival. */
  readonly scanned: Buffer[] = [];
  /** Replies to a file that arrived whole. The default finds `TEST_VIRUS`. */
  answer: Answer = (bytes) => (bytes.includes(TEST_VIRUS) ? `stream: ${FakeClamd.signature} FOUND` : 'stream: OK');
  /** Called when a scan begins. The server reads on when it resolves. */
  onBegin: (socket: Socket) => unknown = () => {};
  /** The reply to PING; undefined for none. */
  pong: string | undefined = 'PONG';

  private constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
      void this.#serve(socket).catch(() => socket.destroy());
    });
  }

  static async start(port = 0): Promise<FakeClamd> {
    const fake = new FakeClamd();
    fake.#server.listen(port, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  static async respondsToPing(port: number): Promise<boolean> {
    const socket = connect({ host: '127.0.0.1', port });
    try {
      await once(socket, 'connect');
      socket.write('zPING\0');
      const [reply] = (await once(socket, 'data')) as [Buffer];
      return reply.toString() === 'PONG\0';
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get address(): string {
    return `clamd://127.0.0.1:${this.port}`;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(socket: Socket): Promise<void> {
    let received: Buffer = Buffer.alloc(0);
    const chunks: Buffer[] = [];
    let command: string | undefined;
    let isFinished = false;
    for await (const data of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, data]);
      if (command === undefined) {
        const end = received.indexOf(0);
        if (end === -1) continue;
        command = received.toString('utf8', 0, end);
        received = received.subarray(end + 1);
        if (command === 'zPING') {
          if (this.pong !== undefined) socket.end(`${this.pong}\0`);
          continue;
        }
        await this.onBegin(socket);
      }
      // Returning would destroy the socket, and with it an unsent reply.
      isFinished ||= await this.#read(
        socket,
        chunks,
        () => received,
        (rest) => (received = rest),
      );
    }
  }

  /** Takes the whole chunks of the received bytes. @returns whether the file has ended */
  async #read(socket: Socket, chunks: Buffer[], get: () => Buffer, set: (rest: Buffer) => void): Promise<boolean> {
    for (;;) {
      const received = get();
      if (received.length < 4) return false;
      const size = received.readUInt32BE();
      if (received.length < 4 + size) return false;
      set(received.subarray(4 + size));
      if (size > 0) {
        chunks.push(received.subarray(4, 4 + size));
        if (chunks.reduce((sum, chunk) => sum + chunk.length, 0) <= STREAM_MAX_BYTES) continue;
        socket.end('INSTREAM size limit exceeded. ERROR\0');
        return true;
      }
      const bytes = Buffer.concat(chunks);
      this.scanned.push(bytes);
      const reply = await this.answer(bytes, socket);
      if (reply !== undefined) socket.end(`${reply}\0`);
      return true;
    }
  }
}

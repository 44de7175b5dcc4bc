import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Forwards TCP connections to a server, such as a database. Tests cut them or let them fall silent. */
export class Relay {
  readonly #server = createServer((socket) => this.#carry(socket));
  readonly #sockets = new Set<Socket>();
  #target: { host: string; port: number };
  #isSilent = false;

  private constructor(target: URL) {
    this.#target = { host: target.hostname, port: Number(target.port) };
  }

  static async start(target: URL): Promise<Relay> {
    const relay = new Relay(target);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Replaces host and port of an address by those of this relay. */
  urlFor(url: string): string {
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  /** Ends all open connections. */
  cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends all open connections and refuses new ones. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cutConnections();
    await closed;
  }

  /** Listens again on the same port. */
  async accept(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Stops forwarding in both directions without closing anything, like a network that drops packets. */
  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Forwards new connections again. Silent ones stay silent. */
  endSilence(): void {
    this.#isSilent = false;
  }

  close(): void {
    this.cutConnections();
    this.#server.close();
  }

  #carry(socket: Socket): void {
    const isSilent = this.#isSilent;
    this.#track(socket);
    if (isSilent) {
      socket.pause();
      return;
    }
    const onward = connect(this.#target.port, this.#target.host);
    this.#track(onward);
    socket.once('close', () => onward.destroySoon());
    onward.once('close', () => socket.destroySoon());
    socket.pipe(onward).pipe(socket);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
  }
}

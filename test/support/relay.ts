import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Carries TCP connections to a server, such as a database, until they are cut or fall silent. */
export class Relay {
  readonly #server = createServer((socket) => this.#carry(socket));
  readonly #sockets = new Set<Socket>();
  #target: { host: string; port: number };
  #isSilent = false;

  private constructor(target: URL) {
    this.#target = { host: target.hostname, port: Number(target.port) };
  }

  static async to(target: URL): Promise<Relay> {
    const relay = new Relay(target);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The address with this relay in the place of the server. */
  urlFor(url: string): string {
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  /** Ends the connections there are. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends the connections there are and refuses new ones. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  /** Listens again on the same port. */
  async accept(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Forwards nothing any more, in no direction, and closes nothing: like a network that drops packets. */
  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Carries new connections again. The silent ones stay silent. */
  speak(): void {
    this.#isSilent = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #carry(socket: Socket): void {
    const isSilent = this.#isSilent;
    this.#keep(socket);
    if (isSilent) {
      socket.pause();
      return;
    }
    const onward = connect(this.#target.port, this.#target.host);
    this.#keep(onward);
    socket.once('close', () => onward.destroySoon());
    onward.once('close', () => socket.destroySoon());
    socket.pipe(onward).pipe(socket);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
  }
}

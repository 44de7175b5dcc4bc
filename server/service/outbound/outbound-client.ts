import { request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { AddressPolicy } from './address-policy.js';
import { OutboundError } from './outbound-error.js';
import { dnsResolver } from './resolve-host.js';
import type { ResolvedAddress, ResolveHost } from './resolve-host.js';

export interface OutboundClientOptions {
  /** Addresses and ranges that are accepted although they are not public, such as `10.0.0.0/8`. @default [] */
  allow?: readonly string[] | undefined;
  /** DNS servers. @default the system's */
  dnsServers?: readonly string[] | undefined;
  /** Replaces DNS, for tests. */
  resolve?: ResolveHost;
}

export interface OutboundRequest {
  /** @default "GET" */
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: Uint8Array;
  /** Ends the request, also while its response is read. Requests without a time limit could wait forever. */
  signal: AbortSignal;
}

/**
 * Sends requests to addresses that users name. It resolves the name once, refuses internal addresses, and connects to exactly the addresses
 * that it checked, so that a second DNS response cannot lead elsewhere. It follows no redirect, uses no proxy and decodes nothing.
 */
export class OutboundClient {
  readonly #policy: AddressPolicy;
  readonly #resolve: ResolveHost;

  constructor({ allow, dnsServers, resolve = dnsResolver(dnsServers) }: OutboundClientOptions = {}) {
    this.#policy = new AddressPolicy(allow);
    this.#resolve = resolve;
  }

  /** Checks a host that is an address. Names pass, because `send` checks their addresses. @throws OutboundError `address_refused` */
  assertLiteral(url: URL): void {
    const host = hostOf(url);
    if (isIP(host) !== 0 && !this.#policy.allows(host)) throw addressRefused();
  }

  /**
   * Sends one request. @param url of `parseOutboundUrl`.
   * @returns the response. The caller reads or destroys it.
   * @throws OutboundError; the reason of the signal if it aborts.
   */
  async send(url: URL, { method = 'GET', headers = {}, body, signal }: OutboundRequest): Promise<IncomingMessage> {
    const addresses = await this.#addressesOf(hostOf(url), signal);
    signal.throwIfAborted();
    const options: RequestOptions = { method, headers, signal, agent: false, lookup: fixedLookup(addresses) };
    const sent = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
    try {
      return await responseTo(sent, body);
    } catch (cause) {
      signal.throwIfAborted();
      throw new OutboundError('connection', `The connection to ${url.host} failed: ${reasonOf(cause)}.`, { cause });
    }
  }

  async #addressesOf(host: string, signal: AbortSignal): Promise<ResolvedAddress[]> {
    const version = isIP(host);
    const literal = version === 0 ? undefined : [{ address: host, family: version as 4 | 6 }];
    const found = literal ?? (await abortable(this.#resolve(host), signal));
    if (found.length === 0) throw new OutboundError('unresolved', `DNS knows no address of ${host}.`);
    const allowed = found.filter(({ address }) => this.#policy.allows(address));
    if (allowed.length === 0) throw addressRefused();
    return allowed;
  }
}

const addressRefused = () =>
  new OutboundError(
    'address_refused',
    'The host is not on the public internet. The operator can allow it with --outbound-allow.',
  );

/** Returns the host without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Node calls it for names only. */
const fixedLookup =
  (addresses: readonly ResolvedAddress[]): LookupFunction =>
  (_host, { all }, done) => {
    if (all) done(null, [...addresses]);
    else done(null, addresses[0]!.address, addresses[0]!.family);
  };

function responseTo(sent: ClientRequest, body: Uint8Array | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // A later error of the connection reaches the reader of the response.
    sent.on('error', reject).on('response', resolve);
    sent.end(body);
  });
}

/** System errors have a code such as ECONNREFUSED. Their messages would contain the address. */
const reasonOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? 'no response';

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

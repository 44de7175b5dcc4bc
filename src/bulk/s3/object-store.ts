import type { Integrity, StoreOptions } from './store-options.js';
import { EndpointAddresses } from './endpoint-addresses.js';
import type { Address } from './endpoint-addresses.js';
import { errorFromResponse } from './response-error.js';
import type { ChecksumName } from './checksums.js';
import { sendBySdkClient } from './send-by-sdk-client.js';
import type { Digests } from './digests.js';
import { S3Error } from '../errors.js';
import { encodeKey } from './object-keys.js';
import type { SdkClient } from './sdk-client.js';
import { EMPTY_SHA256, Signer } from './sigv4.js';
import { validateCredentials } from '../validate.js';
import type { CredentialProvider, Credentials } from '../types.js';
import { unlessAborted } from '../abort.js';
import { validateRequestHead } from '../http/http-client.js';
import type { Origin, HttpClient, HttpResponse, HttpRequest } from '../http/http-client.js';

/** One request to the store, before it is addressed and signed. */
export interface StoreRequest {
  method: string;
  /** Empty for requests about all buckets. */
  bucket: string;
  key?: string;
  /** Encoded and sorted by name. */
  query?: string;
  headers?: Record<string, string>;
  body?: HttpRequest['body'];
  /** SHA-256 of the body in hex, or `UNSIGNED-PAYLOAD`. @default the hash of an empty body */
  payloadHash?: string;
  signal: AbortSignal;
  onData?: HttpRequest['onData'];
  room?: HttpRequest['room'];
  onSent?: HttpRequest['onSent'];
}

/** Codes with which stores refuse a key pair. */
const REFUSED_CREDENTIALS = new Set(['ExpiredToken', 'InvalidToken', 'InvalidAccessKeyId']);
/** Credentials are renewed this long before they expire, or after half of a shorter life. */
const RENEW_MS = 5 * 60_000;
/** After a failed renewal, valid credentials are used for this long before the next attempt. */
const RENEW_RETRY_MS = 5_000;
/** Difference between the clocks from which the clock of the store is used. Stores accept smaller differences. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** Returns the buckets that a request concerns: its own and the source of a copy. */
const bucketsOf = ({ bucket, headers }: StoreRequest): string[] => [
  ...new Set([bucket, headers?.['x-amz-copy-source']?.split('/')[0] ?? bucket]),
];

/** State of the store when a request was sent. An error is compared with it. */
interface SentWith {
  address: Address;
  clockOffset: number;
  credentials: Credentials | undefined;
}

/**
 * One S3 store: its addresses and credentials, and what its responses have taught about it. Commands are functions over it
 * (`commands/`).
 */
export class Store {
  readonly httpClient: HttpClient;
  readonly digests: Digests;
  readonly region: string;
  readonly integrity: Integrity;
  /** AWS SDK client of the caller. If set, it signs and sends all requests. */
  readonly client: SdkClient | undefined;
  /** Checksum that is sent with every body. */
  readonly checksum: ChecksumName;
  /** Whether the store returns the checksum of a body in its response; undefined until the first upload. */
  confirmsChecksums: boolean | undefined;
  /** Whether the store refuses checksum headers. */
  refusesChecksums = false;
  /** Whether the store accepts and compares a checksum after the body; undefined until it is tried. */
  supportsTrailers: boolean | undefined;
  /** Number of tried trailers without a clear response. */
  unansweredTrailers = 0;
  /** Whether multipart uploads keep their tags; undefined until the first one. */
  keepsMultipartTags: boolean | undefined;
  readonly #localTime: () => number;
  /** Difference from the local clock to the clock of the store. */
  #clockOffset = 0;
  /** Undefined for anonymous requests. */
  readonly #provider: CredentialProvider | undefined;
  readonly #signers = new Map<string, Signer>();
  #credentials: Credentials | undefined;
  /** Remaining life at which the credentials are renewed. */
  #renewMs = RENEW_MS;
  /** Id of the last credentials that the store refused. */
  #refusedId: string | undefined;
  #renewing: Promise<Credentials> | undefined;
  /** Time before which valid credentials are not renewed. */
  #nextRenewalMs = 0;
  readonly #addresses: EndpointAddresses;

  constructor(options: StoreOptions) {
    this.httpClient = options.wire;
    this.digests = options.digests;
    this.region = options.region ?? 'us-east-1';
    const { endpoint, pathStyle = endpoint !== undefined } = options;
    this.#addresses = new EndpointAddresses({ region: this.region, pathStyle, ...(endpoint !== undefined && { endpoint }) });
    this.integrity = options.integrity ?? 'auto';
    this.checksum = checksumNameOf(this.integrity);
    this.#localTime = options.now ?? Date.now;
    const { credentials } = options;
    if (credentials !== 'anonymous') this.#provider = typeof credentials === 'function' ? credentials : async () => credentials;
    this.client = options.client;
    // An SDK client buffers bodies, so a trailer has no use.
    if (options.client !== undefined) this.supportsTrailers = false;
  }

  /** Returns the server that receives the requests for a bucket, as far as is known. */
  originOf(bucket: string): Origin {
    return this.#addresses.of(bucket).origin;
  }

  /**
   * Returns whether a key reaches the store unchanged or is refused. If a proxy resolves segments such as `..`, the signature no longer
   * matches.
   */
  get sendsKeysUnchanged(): boolean {
    return this.client === undefined && this.#provider !== undefined && this.httpClient.isLiteral === true;
  }

  /** Addresses, signs and sends a request. @throws S3Error for every response that is not 2xx */
  async send(request: StoreRequest): Promise<HttpResponse> {
    const address = this.#addresses.of(request.bucket);
    const sentWith: SentWith = { address, clockOffset: this.#clockOffset, credentials: undefined };
    const response =
      this.client === undefined
        ? await this.#sendSigned(request, sentWith)
        : await this.#sendByClient(this.client, request, address);
    if (response.status < 300) return response;
    const error = errorFromResponse(response, bucketsOf(request));
    if (this.#learn(error, request.bucket, sentWith)) error.again = true;
    throw error;
  }

  async #sendSigned(request: StoreRequest, sentWith: SentWith): Promise<HttpResponse> {
    const { method, signal } = request;
    const { origin, region } = sentWith.address;
    const path = pathOf(request, sentWith.address);
    const query = request.query ?? '';
    const headers: Record<string, string> = { host: origin.host, ...request.headers };
    if (this.#provider !== undefined) {
      sentWith.credentials = this.#validCredentials() ?? (await unlessAborted(this.credentials(), signal));
      const payloadHash = request.payloadHash ?? EMPTY_SHA256;
      this.#signerFor(region).sign({ method, path, query, headers }, sentWith.credentials, payloadHash, this.now());
    }
    const target = query === '' ? path : `${path}?${query}`;
    validateRequestHead(target, headers);
    return this.httpClient.send({ method, origin, target, headers, signal, ...bodyAndCallbacks(request) });
  }

  async #sendByClient(client: SdkClient, request: StoreRequest, address: Address): Promise<HttpResponse> {
    const { method, signal, query = '' } = request;
    const { origin } = address;
    const path = pathOf(request, address);
    const headers: Record<string, string> = {
      host: origin.host,
      ...request.headers,
      'x-amz-content-sha256': request.payloadHash ?? EMPTY_SHA256,
    };
    validateRequestHead(path, headers);
    return sendBySdkClient(client, { method, origin, path, query, headers, signal, ...bodyAndCallbacks(request) });
  }

  /**
   * Learns the clock of the store, refused credentials and the address of a bucket from an error.
   * @returns whether the same request may succeed now
   */
  #learn(error: S3Error, bucket: string, { address, clockOffset, credentials }: SentWith): boolean {
    const isClockCorrected = this.#learnClock(error, clockOffset);
    if (this.client !== undefined) return isClockCorrected;
    const isRefused = REFUSED_CREDENTIALS.has(error.code) && credentials !== undefined;
    const mayRenew = isRefused && this.#discard(credentials);
    const hasNewAddress = this.#addresses.learn(bucket, address, error);
    return isClockCorrected || mayRenew || hasNewAddress;
  }

  /** @returns whether the clock differs from the one that the request was signed with */
  #learnClock({ code, serverTimeMs }: S3Error, usedOffset: number): boolean {
    // A response to HEAD has no body, so a wrong clock looks like `AccessDenied`.
    if (serverTimeMs === undefined || (code !== 'RequestTimeTooSkewed' && code !== 'AccessDenied')) return false;
    const offset = serverTimeMs - this.#localTime();
    if (Math.abs(offset - usedOffset) <= CLOCK_TOLERANCE_MS) return false;
    this.#clockOffset = offset;
    return true;
  }

  /** Drops credentials that the store refused. @returns whether the provider may return others; it is asked once for each pair */
  #discard(used: Credentials): boolean {
    const isReplaced = this.#credentials !== used;
    if (isReplaced) return true;
    this.#credentials = undefined;
    const id = `${used.accessKeyId} ${used.sessionToken}`;
    const isFirstRefusal = id !== this.#refusedId;
    this.#refusedId = id;
    return isFirstRefusal;
  }

  /** Returns the time of the store as far as it is known, in milliseconds since 1970. */
  now(): number {
    return this.#localTime() + this.#clockOffset;
  }

  /**
   * Returns credentials, and calls the provider if they must be renewed. All waiting requests share one call. If the call fails,
   * credentials are used until they expire.
   * @throws S3Error `CredentialsMissing`, or `ConnectionFailed` if the provider could not reach its server
   */
  credentials(): Promise<Credentials> {
    const valid = this.#validCredentials();
    if (valid !== undefined) return Promise.resolve(valid);
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renew(): Promise<Credentials> {
    try {
      const credentials = validateCredentials(await this.#provider?.());
      const { expiration } = credentials;
      if (expiration !== undefined) this.#renewMs = Math.min(RENEW_MS, Math.max(0, expiration.getTime() - this.now()) / 2);
      return (this.#credentials = credentials);
    } catch (error) {
      this.#nextRenewalMs = this.#localTime() + RENEW_RETRY_MS;
      const valid = this.#validCredentials();
      if (valid !== undefined) return valid;
      if (error instanceof S3Error) throw error;
      const message = error instanceof Error ? error.message : String(error);
      // `fetch` throws a TypeError if it does not reach the server.
      throw new S3Error(error instanceof TypeError ? 'ConnectionFailed' : 'CredentialsMissing', message, { cause: error });
    }
  }

  /** Returns the present credentials unless they must be renewed. */
  #validCredentials(): Credentials | undefined {
    const credentials = this.#credentials;
    if (credentials?.expiration === undefined) return credentials;
    const leftMs = credentials.expiration.getTime() - this.now();
    const minLeftMs = this.#localTime() < this.#nextRenewalMs ? 0 : this.#renewMs;
    return leftMs > minLeftMs ? credentials : undefined;
  }

  #signerFor(region: string): Signer {
    let signer = this.#signers.get(region);
    if (signer === undefined) this.#signers.set(region, (signer = new Signer(region, this.digests.sha256Hex)));
    return signer;
  }
}

function checksumNameOf(integrity: Integrity): ChecksumName {
  if (integrity === 'crc32c') return 'CRC32C';
  return integrity === 'crc64nvme' ? 'CRC64NVME' : 'CRC32';
}

function pathOf({ key }: StoreRequest, { base }: Address): string {
  return key === undefined ? base || '/' : `${base}/${encodeKey(key)}`;
}

const bodyAndCallbacks = ({ body, onData, room, onSent }: StoreRequest) => ({
  ...(body !== undefined && { body }),
  ...(onData !== undefined && { onData }),
  ...(room !== undefined && { room }),
  ...(onSent !== undefined && { onSent }),
});

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

/** One signed request of the hot path. */
export interface StoreRequest {
  method: string;
  bucket: string;
  key?: string;
  /** Encoded and sorted. */
  query?: string;
  headers?: Record<string, string>;
  body?: HttpRequest['body'];
  /** SHA-256 of the body in hex, or `UNSIGNED-PAYLOAD`. @default that of no body */
  payloadHash?: string;
  signal: AbortSignal;
  onData?: HttpRequest['onData'];
  room?: HttpRequest['room'];
  onSent?: HttpRequest['onSent'];
}

const REFUSED_KEYS = new Set(['ExpiredToken', 'InvalidToken', 'InvalidAccessKeyId']);
/** Renewed this long before they run out; those that live shorter, after half of their life. */
const RENEW_MS = 5 * 60_000;
/** After a renewal that failed, keys that still live serve so long before the next. */
const ASK_AGAIN_MS = 5_000;
/** A store's clock is believed when it differs by this much: less is the journey of the answer, and no store refuses it. */
const SKEW_MS = 5 * 60_000;

const bucketsOf = ({ bucket, headers }: StoreRequest): string[] => [
  ...new Set([bucket, headers?.['x-amz-copy-source']?.split('/')[0] ?? bucket]),
];

/** One S3 store: its address, who asks, and what has been learned of it. Commands are functions over it (`commands/`). */
export class Store {
  readonly httpClient: HttpClient;
  readonly digests: Digests;
  readonly region: string;
  readonly integrity: Integrity;
  /** The page's or program's own, which then signs and carries everything. */
  readonly client: SdkClient | undefined;
  /** Checksum that is sent with every body. */
  readonly checksum: ChecksumName;
  /** Whether the store answers with the checksum it was sent; undefined until it was asked. */
  confirmsChecksums: boolean | undefined;
  /** The store refuses checksum headers. */
  refusesChecksums = false;
  /** Whether the store takes a checksum behind the body, and compares it; undefined until it was asked. */
  supportsTrailers: boolean | undefined;
  /** Attempts to find out about trailers that got no clear response. */
  unansweredTrailers = 0;
  /** Whether what comes in parts keeps its tags; undefined until one was seen. */
  keepsMultipartTags: boolean | undefined;
  #clockOffset = 0;
  readonly #now: () => number;
  readonly #provider: CredentialProvider | undefined;
  readonly #signers = new Map<string, Signer>();
  #credentials: Credentials | undefined;
  /** Credentials are renewed when they live no longer than this. */
  #renewMs = RENEW_MS;
  /** The last set of keys that the store refused. */
  #refused: string | undefined;
  #renewing: Promise<Credentials> | undefined;
  #asksAgainAt = 0;
  readonly #addresses: EndpointAddresses;

  constructor(options: StoreOptions) {
    this.httpClient = options.wire;
    this.digests = options.digests;
    this.region = options.region ?? 'us-east-1';
    const { endpoint, pathStyle = endpoint !== undefined } = options;
    this.#addresses = new EndpointAddresses({ region: this.region, pathStyle, ...(endpoint !== undefined && { endpoint }) });
    this.integrity = options.integrity ?? 'auto';
    this.checksum = this.integrity === 'crc32c' ? 'CRC32C' : this.integrity === 'crc64nvme' ? 'CRC64NVME' : 'CRC32';
    this.#now = options.now ?? Date.now;
    const { credentials } = options;
    if (credentials !== 'anonymous') this.#provider = typeof credentials === 'function' ? credentials : async () => credentials;
    this.client = options.client;
    // An SDK client buffers bodies, so a trailer has no use.
    if (options.client !== undefined) this.supportsTrailers = false;
  }

  /** Where requests for a bucket go, as far as is known. */
  originOf(bucket: string): Origin {
    return this.#addresses.of(bucket).origin;
  }

  /** Whether a key reaches the store to the letter, or not at all: of a path that somebody on the way resolved the signature is wrong. */
  get sendsKeysUnchanged(): boolean {
    return this.client === undefined && this.#provider !== undefined && this.httpClient.isLiteral === true;
  }

  /** Signs and sends. @throws S3Error for every answer but 2xx. */
  async send(request: StoreRequest): Promise<HttpResponse> {
    const address = this.#addresses.of(request.bucket);
    const { origin, base } = address;
    const path = request.key === undefined ? base || '/' : `${base}/${encodeKey(request.key)}`;
    const query = request.query ?? '';
    const headers: Record<string, string> = { host: origin.host, ...request.headers };
    const { method, body, signal, onData, room, onSent } = request;
    const more = {
      ...(body !== undefined && { body }),
      ...(onData !== undefined && { onData }),
      ...(room !== undefined && { room }),
      ...(onSent !== undefined && { onSent }),
    };
    const payload = request.payloadHash ?? EMPTY_SHA256;
    const offset = this.#clockOffset;
    let credentials: Credentials | undefined;
    let answer: HttpResponse;
    if (this.client === undefined) {
      if (this.#provider !== undefined) {
        credentials = this.#fresh() ?? (await unlessAborted(this.credentials(), signal));
        this.#signerFor(address.region).sign({ method, path, query, headers }, credentials, payload, this.now());
      }
      const target = query === '' ? path : `${path}?${query}`;
      validateRequestHead(target, headers);
      answer = await this.httpClient.send({
        method,
        origin,
        target,
        headers,
        signal,
        ...more,
      });
    } else {
      headers['x-amz-content-sha256'] = payload;
      validateRequestHead(path, headers);
      answer = await sendBySdkClient(this.client, { method, origin, path, query, headers, signal, ...more });
    }
    if (answer.status >= 300)
      throw this.#learn(errorFromResponse(answer, bucketsOf(request)), request.bucket, { address, offset, credentials });
    return answer;
  }

  /**
   * Takes what an error tells of the store's clock, of the credentials, and of the place of a bucket.
   * @param used what the refused request was made with
   */
  #learn(
    error: S3Error,
    bucket: string,
    used: { address: Address; offset: number; credentials: Credentials | undefined },
  ): S3Error {
    const { code, serverTimeMs } = error;
    // The answer to a HEAD has no body to name the reason in.
    if (serverTimeMs !== undefined && (code === 'RequestTimeTooSkewed' || code === 'AccessDenied')) {
      const offset = serverTimeMs - this.#now();
      if (Math.abs(offset - used.offset) > SKEW_MS) {
        this.#clockOffset = offset;
        error.again = true;
      }
    }
    if (this.client !== undefined) return error;
    if (REFUSED_KEYS.has(code) && used.credentials !== undefined) error.again = this.#drop(used.credentials) || error.again;
    if (this.#addresses.learn(bucket, used.address, error)) error.again = true;
    return error;
  }

  /** Keys that the store refused. @returns whether the provider may have better ones: it is asked once for each set. */
  #drop(used: Credentials): boolean {
    // Others were asked for since.
    if (this.#credentials !== used) return true;
    this.#credentials = undefined;
    const id = `${used.accessKeyId} ${used.sessionToken}`;
    const isNew = id !== this.#refused;
    this.#refused = id;
    return isNew;
  }

  /** The store's time, as well as it is known. */
  now(): number {
    return this.#now() + this.#clockOffset;
  }

  /**
   * Asks the provider once however many requests wait. Where it fails, the keys at hand serve as long as they live.
   * @throws S3Error `CredentialsMissing`, or `ConnectionFailed` when the provider did not reach its server (a `fetch` that throws)
   */
  credentials(): Promise<Credentials> {
    const fresh = this.#fresh();
    if (fresh !== undefined) return Promise.resolve(fresh);
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
      this.#asksAgainAt = this.#now() + ASK_AGAIN_MS;
      const kept = this.#fresh();
      if (kept !== undefined) return kept;
      if (error instanceof S3Error) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new S3Error(error instanceof TypeError ? 'ConnectionFailed' : 'CredentialsMissing', message, { cause: error });
    }
  }

  /** Returns the current credentials unless they must be renewed. */
  #fresh(): Credentials | undefined {
    const kept = this.#credentials;
    if (kept?.expiration === undefined) return kept;
    const left = kept.expiration.getTime() - this.now();
    return left > (this.#now() < this.#asksAgainAt ? 0 : this.#renewMs) ? kept : undefined;
  }

  #signerFor(region: string): Signer {
    let signer = this.#signers.get(region);
    if (signer === undefined) this.#signers.set(region, (signer = new Signer(region, this.digests.sha256Hex)));
    return signer;
  }
}

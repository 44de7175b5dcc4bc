import type { S3Error } from '../errors.js';
import { originOf } from '../http/http-client.js';
import type { Origin } from '../http/http-client.js';

/** Where requests for one bucket go, and what region they are signed for. */
export interface Address {
  readonly origin: Origin;
  /** Path before the key, without a slash at the end. */
  readonly base: string;
  readonly region: string;
}

export interface AddressOptions {
  /** Base address; by default AWS's own for the region. */
  endpoint?: string;
  region: string;
  pathStyle: boolean;
}

/** Statuses with which a store says that a bucket is at another address or in another region. */
const ELSEWHERE = new Set([301, 307, 308, 400]);

/** A region becomes part of a host name. */
const REGION = /^[\w-]{1,64}$/;

const AWS = 'https://s3.amazonaws.com';
/**
 * Hosts of S3 itself, not other machines at AWS: `s3.eu-west-1…`, `bucket.s3.dualstack.eu-west-1…`, the older `s3-eu-west-1…`. The group is
 * the partition.
 * @see https://docs.aws.amazon.com/general/latest/gr/s3.html
 */
const AWS_S3 =
  /^(?:.+\.)?s3(?:-fips|-accelerate)?(?:\.dualstack)?(?:[.-][a-z]{2}(?:-[a-z]+){1,3}-\d{1,2})?\.(amazonaws\.com(?:\.cn)?)$/;

/** Knows the address of each bucket: as configured, or as the store's redirects taught. */
export class EndpointAddresses {
  readonly #options: AddressOptions;
  readonly #known = new Map<string, Address>();

  constructor(options: AddressOptions) {
    this.#options = options;
  }

  of(bucket: string): Address {
    let address = this.#known.get(bucket);
    if (address === undefined) {
      address = this.#make(bucket, this.#options.region);
      this.#known.set(bucket, address);
    }
    return address;
  }

  /**
   * Takes what an error says of a bucket's place.
   * @param used the address that the refused request went to.
   * @returns whether the same request now goes another way.
   * Source: AWS, "Making requests using DNS: request redirection and the REST API".
   */
  learn(bucket: string, used: Address, error: S3Error): boolean {
    const { status, region, location } = error;
    if (!ELSEWHERE.has(status)) return false;
    if (region !== undefined && region !== used.region && REGION.test(region)) {
      this.#known.set(bucket, this.#make(bucket, region));
      return true;
    }
    const named = location === undefined || status === 400 ? undefined : redirectOrigin(used, location);
    if (named === undefined || named.host === used.origin.host) return this.#known.get(bucket) !== used;
    if (!this.#isSameStore(named.hostname)) {
      error.advice = `The store redirects to another host, ${named.host}. If you trust that host, name it with --endpoint.`;
      return false;
    }
    // In a name of its own the bucket is no part of the path.
    const base = named.hostname.startsWith(`${bucket}.`) ? '' : used.base === '' ? `/${bucket}` : used.base;
    this.#known.set(bucket, { origin: named, base, region: used.region });
    return true;
  }

  /**
   * Whether a redirect may lead to this host: the configured host, a name below it, or another S3 host of the same AWS
   * partition. A repeated request would give its body and session token to that host.
   */
  #isSameStore(hostname: string): boolean {
    const store = new URL(this.#options.endpoint ?? AWS).hostname;
    const partition = AWS_S3.exec(store)?.[1];
    if (partition !== undefined) return AWS_S3.exec(hostname)?.[1] === partition;
    return hostname === store || hostname.endsWith(`.${store}`);
  }

  #make(bucket: string, region: string): Address {
    const { endpoint } = this.#options;
    const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`);
    const root = url.pathname.replace(/\/$/, '');
    // A certificate for any name below the host covers one level of names.
    // Without a bucket, it is the store itself that is asked.
    const pathStyle = this.#options.pathStyle || bucket === '' || (url.protocol === 'https:' && bucket.includes('.'));
    if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
    return { origin: originOf(url), base: pathStyle ? `${root}/${bucket}` : root, region };
  }
}

/** The host of a `Location`; what was asked for in secret is not asked for in the open. */
function redirectOrigin(used: Address, location: string): Origin | undefined {
  const scheme = used.origin.secure ? 'https' : 'http';
  if (!URL.canParse(location, `${scheme}://${used.origin.host}`)) return undefined;
  const origin = originOf(new URL(location, `${scheme}://${used.origin.host}`));
  return used.origin.secure && !origin.secure ? undefined : origin;
}

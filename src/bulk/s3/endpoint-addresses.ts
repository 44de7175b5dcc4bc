import type { S3Error } from '../errors.js';
import { originOf } from '../http/http-client.js';
import type { Origin } from '../http/http-client.js';

/** Address of one bucket. */
export interface Address {
  readonly origin: Origin;
  /** Path before the key, without a slash at the end. */
  readonly base: string;
  /** Region that requests are signed for. */
  readonly region: string;
}

/** Options that decide the addresses of buckets. */
export interface AddressOptions {
  /** Base address. @default the AWS address of the region */
  endpoint?: string;
  /** Region of all buckets until a redirect names another one. */
  region: string;
  /** Whether the bucket is part of the path instead of the host name. */
  pathStyle: boolean;
}

/** Statuses that report another address or region of a bucket. */
const REDIRECT_STATUSES = new Set([301, 307, 308, 400]);

/** Accepted regions. They become part of host names. */
const REGION = /^[\w-]{1,64}$/;

const AWS = 'https://s3.amazonaws.com';
/**
 * Host names of S3, but not of other AWS services: `s3.eu-west-1…`, `bucket.s3.dualstack.eu-west-1…` and the older
 * `s3-eu-west-1…`. The group captures the partition.
 * @see https://docs.aws.amazon.com/general/latest/gr/s3.html
 */
const AWS_S3 =
  /^(?:.+\.)?s3(?:-fips|-accelerate)?(?:\.dualstack)?(?:[.-][a-z]{2}(?:-[a-z]+){1,3}-\d{1,2})?\.(amazonaws\.com(?:\.cn)?)$/;

/** Addresses of buckets: from the options, or from redirects of the store. */
export class EndpointAddresses {
  readonly #options: AddressOptions;
  readonly #known = new Map<string, Address>();

  constructor(options: AddressOptions) {
    this.#options = options;
  }

  /** Returns the present address of a bucket. */
  of(bucket: string): Address {
    let address = this.#known.get(bucket);
    if (address === undefined) {
      address = this.#create(bucket, this.#options.region);
      this.#known.set(bucket, address);
    }
    return address;
  }

  /**
   * Learns the address or region of a bucket from an error.
   * @param used address of the refused request
   * @returns whether the present address differs from `used`
   * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/Redirects.html
   */
  learn(bucket: string, used: Address, error: S3Error): boolean {
    const { status, region, location } = error;
    if (!REDIRECT_STATUSES.has(status)) return false;
    if (region !== undefined && region !== used.region && REGION.test(region)) {
      this.#known.set(bucket, this.#create(bucket, region));
      return true;
    }
    const origin = location === undefined || status === 400 ? undefined : redirectOrigin(used, location);
    if (origin === undefined || origin.host === used.origin.host) return this.#known.get(bucket) !== used;
    if (!this.#isSameStore(origin.hostname)) {
      error.advice = `The store redirects to another host, ${origin.host}. If you trust that host, name it with --endpoint.`;
      return false;
    }
    const pathStyleBase = used.base === '' ? `/${bucket}` : used.base;
    const isInHostName = origin.hostname.startsWith(`${bucket}.`);
    const base = isInHostName ? '' : pathStyleBase;
    this.#known.set(bucket, { origin, base, region: used.region });
    return true;
  }

  /**
   * Returns whether a redirect may lead to this host: the configured host, a name below it, or another S3 host of the same AWS
   * partition. A repeated request would give its body and session token to that host.
   */
  #isSameStore(hostname: string): boolean {
    const store = new URL(this.#options.endpoint ?? AWS).hostname;
    const partition = AWS_S3.exec(store)?.[1];
    if (partition !== undefined) return AWS_S3.exec(hostname)?.[1] === partition;
    return hostname === store || hostname.endsWith(`.${store}`);
  }

  #create(bucket: string, region: string): Address {
    const { endpoint } = this.#options;
    const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`);
    const root = url.pathname.replace(/\/$/, '');
    // A wildcard certificate does not cover bucket names with dots.
    const needsPathStyle = bucket === '' || (url.protocol === 'https:' && bucket.includes('.'));
    const pathStyle = this.#options.pathStyle || needsPathStyle;
    if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
    return { origin: originOf(url), base: pathStyle ? `${root}/${bucket}` : root, region };
  }
}

/** Returns the origin of a `Location` header. A redirect from https to http is ignored. */
function redirectOrigin(used: Address, location: string): Origin | undefined {
  const scheme = used.origin.secure ? 'https' : 'http';
  if (!URL.canParse(location, `${scheme}://${used.origin.host}`)) return undefined;
  const origin = originOf(new URL(location, `${scheme}://${used.origin.host}`));
  return used.origin.secure && !origin.secure ? undefined : origin;
}

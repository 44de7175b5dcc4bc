import { trimCharacters } from '../../../../src/protocol/trim.js';

/** The place of the blobs in an S3-compatible store. */
export interface S3Location {
  bucket: string;
  /** Prefix of every blob's key: empty, or with a slash at its end. */
  prefix: string;
  /** Undefined for AWS. */
  endpoint: string | undefined;
  /** Undefined for the region of the AWS environment or profile. */
  region: string | undefined;
  /** Milliseconds without a byte in either direction after which the store counts as unreachable. */
  timeout: number;
}

const OPTIONS = new Set(['endpoint', 'region', 'timeout']);
const DEFAULT_TIMEOUT = 30_000;

/**
 * Parses `s3://bucket[/prefix]?endpoint=…&region=…&timeout=seconds`. Credentials are refused here; they come from the AWS environment, profile
 * or instance.
 * @throws Error that names the problem.
 */
export function parseS3Location(text: string): S3Location {
  const reject = (problem: string): never => {
    throw new Error(`BLOB_STORE ${JSON.stringify(text)} ${problem}; write s3://bucket[/prefix]?endpoint=https://…&region=…`);
  };
  if (!URL.canParse(text)) reject('is not a URL');
  const url = new URL(text);
  if (url.protocol !== 's3:') reject('does not begin with s3://');
  if (url.hostname === '') reject('names no bucket');
  if (url.username !== '' || url.password !== '')
    throw new Error('BLOB_STORE contains credentials; pass them in the AWS environment, profile or instance');
  for (const name of url.searchParams.keys()) if (!OPTIONS.has(name)) reject(`has the unknown option ${name}`);
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\//.test(endpoint)) reject('has an endpoint without http:// or https://');
  const timeout = url.searchParams.get('timeout');
  if (timeout !== null && !/^[1-9]\d{0,2}$/.test(timeout)) reject('has a timeout that is not a number of seconds from 1 to 999');
  const prefix = trimCharacters(url.pathname, '/');
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${decodeURIComponent(prefix)}/`,
    endpoint,
    region: url.searchParams.get('region') ?? undefined,
    timeout: timeout === null ? DEFAULT_TIMEOUT : Number(timeout) * 1000,
  };
}

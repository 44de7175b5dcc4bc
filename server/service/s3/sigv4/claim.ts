import { S3Error } from '../errors.js';

/** What a request says of its own signature, before anything of it is believed. */
export interface SignatureClaim {
  accessKeyId: string;
  /** The day of the credential scope, `20261121`. */
  date: string;
  region: string;
  signedHeaders: string[];
  signature: string;
  /** `20261121T053534Z`. */
  amzDate: string;
  /** Seconds a presigned address is good for; undefined for a signed header. */
  expires: number | undefined;
  /** The value that stands for the body in the canonical request. */
  payloadHash: string;
}

export const scopeOf = (claim: Pick<SignatureClaim, 'date' | 'region'>): string =>
  `${claim.date}/${claim.region}/s3/aws4_request`;

/** Parts of `AKID/20261121/region/s3/aws4_request`. The key id may hold slashes, so it is read from the end. */
export function parseCredential(
  credential: string,
  fail: (why: string) => S3Error,
): { accessKeyId: string; date: string; region: string } {
  const parts = credential.split('/');
  const [date, region, service, terminator] = parts.slice(-4);
  const accessKeyId = parts.slice(0, -4).join('/');
  if (!accessKeyId || !date || !region)
    throw fail('the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".');
  if (!/^\d{8}$/.test(date)) throw fail('the Credential is mal-formed; its date must be YYYYMMDD.');
  if (service !== 's3') throw fail(`incorrect service "${service}". This endpoint belongs to "s3".`);
  if (terminator !== 'aws4_request') throw fail(`incorrect terminal "${terminator}". This endpoint uses "aws4_request".`);
  return { accessKeyId, date, region };
}

/** Milliseconds of an ISO 8601 basic time, the only form SigV4 has; undefined when it is none. */
export function parseAmzDate(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!match) return undefined;
  const time = Date.parse(`${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}Z`);
  return Number.isNaN(time) ? undefined : time;
}

export const formatAmzDate = (time: number): string => `${new Date(time).toISOString().replace(/[-:]|\.\d{3}/g, '')}`;

export const parseSignedHeaders = (text: string): string[] => text.split(';').filter((name) => name !== '');

import { S3ServiceError } from '../errors.js';

/** The fields of a signature in a request. They are not verified yet. */
export interface RequestSignature {
  accessKeyId: string;
  /** The day of the credential scope, `20261121`. */
  date: string;
  region: string;
  signedHeaders: string[];
  value: string;
  /** `20261121T053534Z`. */
  amzDate: string;
  /** Lifetime of a presigned URL in seconds; undefined for a signature in the header. */
  expires: number | undefined;
  /** Represents the body in the canonical request. */
  payloadHash: string;
}

export const credentialScope = (signature: Pick<RequestSignature, 'date' | 'region'>): string =>
  `${signature.date}/${signature.region}/s3/aws4_request`;

/**
 * Parses `AKID/20261121/region/s3/aws4_request`. The access key id may contain slashes, so the text is parsed from its end.
 * @param fail builds the error for a reason.
 */
export function parseCredential(
  credential: string,
  fail: (reason: string) => S3ServiceError,
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

/** Parses an ISO 8601 basic time such as `20261121T053534Z`. @returns ms since 1970; undefined for another format. */
export function parseAmzDate(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!match) return undefined;
  const time = Date.parse(`${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}Z`);
  return Number.isNaN(time) ? undefined : time;
}

export const formatAmzDate = (time: number): string => `${new Date(time).toISOString().replace(/[-:]|\.\d{3}/g, '')}`;

export const parseSignedHeaders = (text: string): string[] => text.split(';').filter((name) => name !== '');

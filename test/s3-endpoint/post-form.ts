import { createHmac } from 'node:crypto';
import type { KeyPair } from './signing.js';

export type Conditions = (string[] | Record<string, string> | [string, number, number])[];

export interface FormOptions {
  pair?: KeyPair;
  /** Lifetime of the policy. ms */
  expires?: number;
  file?: string | Uint8Array<ArrayBuffer>;
  /** Omits the condition for the bucket. */
  anyBucket?: boolean;
}

/** Builds a form as the backend of a site would, without code of this project. */
export function signedForm(
  pair: KeyPair,
  bucket: string,
  fields: Record<string, string>,
  conditions: Conditions,
  options: FormOptions = {},
): FormData {
  const { expires = Date.now() + 60_000, file = 'the file' } = options;
  const date = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const signing = {
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${pair.accessKeyId}/${scope}`,
    'x-amz-date': date,
  };
  const ofBucket = options.anyBucket ? [] : [{ bucket }];
  const stated = [...ofBucket, ...Object.entries(signing).map(([name, value]) => ({ [name]: value })), ...conditions];
  const policy = Buffer.from(JSON.stringify({ expiration: new Date(expires).toISOString(), conditions: stated })).toString(
    'base64',
  );
  const key = ['us-east-1', 's3', 'aws4_request'].reduce(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    createHmac('sha256', `AWS4${pair.secretAccessKey}`).update(date.slice(0, 8)).digest(),
  );
  const data = new FormData();
  const signature = createHmac('sha256', key).update(policy).digest('hex');
  for (const [name, value] of Object.entries({ ...fields, ...signing, policy, 'x-amz-signature': signature }))
    data.append(name, value);
  data.append('file', new Blob([file]), 'näme.txt');
  return data;
}

import { createHash, createHmac } from 'node:crypto';
import type { Put } from './load.js';

/** Address and credentials of an S3 engine. */
export interface S3Target {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Signs one request with Signature V4 and an unsigned payload, which costs little and the same for every peer. */
export function signed({ endpoint, region, accessKeyId, secretAccessKey }: S3Target, method: string, path: string): Put {
  const { host } = new URL(endpoint);
  const date = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  const names = 'host;x-amz-content-sha256;x-amz-date';
  const canonical = `${method}\n${path}\n\nhost:${host}\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:${date}\n\n${names}\nUNSIGNED-PAYLOAD`;
  const digest = createHash('sha256').update(canonical).digest('hex');
  const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, date.slice(0, 8)), region), 's3'), 'aws4_request');
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${digest}`).toString('hex');
  return {
    url: endpoint + path,
    method,
    headers: {
      host,
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
      'x-amz-date': date,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    },
  };
}

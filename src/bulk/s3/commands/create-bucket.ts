import type { Store } from '../object-store.js';
import { escapeXml } from './escape-xml.js';

/**
 * Creates a bucket.
 * @param request.region location of the bucket; if undefined, the store chooses it
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html
 */
export async function createBucket(
  store: Store,
  request: { bucket: string; region: string | undefined; signal: AbortSignal },
): Promise<void> {
  const { bucket, region, signal } = request;
  const xml =
    region === undefined
      ? ''
      : `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>${escapeXml(region)}</LocationConstraint></CreateBucketConfiguration>`;
  const body = new TextEncoder().encode(xml);
  await store.send({ method: 'PUT', bucket, body, payloadHash: store.digests.sha256Hex(body), signal });
}

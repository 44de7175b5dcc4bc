import { xmlDocument } from '../response-error.js';
import type { Store } from '../object-store.js';
import { elements, textOf } from '../xml.js';

/** One bucket. */
export interface BucketEntry {
  name: string;
  /** Time at which it was created; 0 if unknown. */
  createdMs: number;
}

/**
 * Lists all buckets. They come in one response, because the request sets no limit.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html
 */
export async function listBuckets(store: Store, signal: AbortSignal): Promise<BucketEntry[]> {
  const xml = xmlDocument(await store.send({ method: 'GET', bucket: '', signal }));
  return [...elements(xml, 'Bucket')].map((bucket) => ({
    name: textOf(bucket, 'Name') ?? '',
    createdMs: Date.parse(textOf(bucket, 'CreationDate') ?? '') || 0,
  }));
}

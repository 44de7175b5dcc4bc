import { xmlDocument } from '../response-error.js';
import type { Store } from '../object-store.js';
import { elements, textOf } from '../xml.js';

export interface BucketEntry {
  name: string;
  createdMs: number;
}

/** Source: AWS API reference, ListBuckets; all in one answer, since no number of them is asked for. */
export async function listBuckets(store: Store, signal: AbortSignal): Promise<BucketEntry[]> {
  const xml = xmlDocument(await store.send({ method: 'GET', bucket: '', signal }));
  return [...elements(xml, 'Bucket')].map((one) => ({
    name: textOf(one, 'Name') ?? '',
    createdMs: Date.parse(textOf(one, 'CreationDate') ?? '') || 0,
  }));
}

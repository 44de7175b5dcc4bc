import { xmlDocument } from '../response-error.js';
import { S3Error } from '../../errors.js';
import type { Store } from '../object-store.js';
import { elements, textOf } from '../xml.js';
import { escapeXml } from './escape-xml.js';
import { hashBody, addChecksumHeaders, withChecksums } from './body-checksums.js';

/** S3's bound on one request. */
export const DELETE_MAX = 1000;

/**
 * Source: AWS API reference, DeleteObjects. Keys are such that `fitsXml`.
 * @returns the errors by key; the others are gone
 * @throws S3Error `UnexpectedAnswer` when an error is of none of the keys: then nobody knows which are gone
 */
export async function deleteObjects(
  store: Store,
  request: { bucket: string; keys: string[]; signal: AbortSignal },
): Promise<Map<string, S3Error>> {
  const objects = request.keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('');
  const xml = `<?xml version="1.0" encoding="UTF-8"?><Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${objects}<Quiet>true</Quiet></Delete>`;
  const body = new TextEncoder().encode(xml);
  const hash = store.digests.md5();
  hash.update(body);
  const headers: Record<string, string> = {};
  // Older stores demand Content-MD5 here whatever else they are sent.
  const payloadHash = addChecksumHeaders(store, headers, {
    ...hashBody(store, body),
    md5Hex: hash.hex(),
    sha256Hex: store.digests.sha256Hex(body),
  });
  const response = await withChecksums(store, () =>
    store.send({ method: 'POST', bucket: request.bucket, query: 'delete=', headers, body, payloadHash, signal: request.signal }),
  );
  const asked = new Set(request.keys);
  const failed = new Map<string, S3Error>();
  for (const one of elements(xmlDocument(response), 'Error')) {
    const code = textOf(one, 'Code') ?? 'UnexpectedAnswer';
    if (code === 'NoSuchKey') continue;
    const [key, message] = [textOf(one, 'Key') ?? '', textOf(one, 'Message') ?? code];
    const { status } = response;
    if (!asked.has(key))
      throw new S3Error('UnexpectedAnswer', `The store tells an error of "${key}", which is not to go: ${code}: ${message}`, {
        status,
      });
    failed.set(key, new S3Error(code, message, { status }));
  }
  return failed;
}

/** Whether a key can be written in XML 1.0 at all, which has no way to say some control characters (section 2.2). */
// oxlint-disable-next-line no-control-regex
export const fitsXml = (key: string): boolean => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(key);

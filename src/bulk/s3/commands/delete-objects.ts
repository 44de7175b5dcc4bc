import { xmlDocument } from '../response-error.js';
import { S3Error } from '../../errors.js';
import type { Store } from '../object-store.js';
import { elements, textOf } from '../xml.js';
import { escapeXml } from './escape-xml.js';
import { hashBody, addChecksumHeaders, withChecksums } from './body-checksums.js';

/** Largest number of keys in one request. */
export const DELETE_MAX = 1000;

/**
 * Deletes objects in one request.
 * @param request.keys at most `DELETE_MAX` keys that satisfy `fitsXml`
 * @returns errors by key; all other keys are deleted
 * @throws S3Error `UnexpectedAnswer` if an error names another key, because then the result is unknown
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html
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
  // Older stores require Content-MD5 for this command.
  const payloadHash = addChecksumHeaders(store, headers, {
    ...hashBody(store, body),
    md5Hex: hash.hex(),
    sha256Hex: store.digests.sha256Hex(body),
  });
  const response = await withChecksums(store, () =>
    store.send({ method: 'POST', bucket: request.bucket, query: 'delete=', headers, body, payloadHash, signal: request.signal }),
  );
  const requested = new Set(request.keys);
  const failed = new Map<string, S3Error>();
  for (const element of elements(xmlDocument(response), 'Error')) {
    const code = textOf(element, 'Code') ?? 'UnexpectedAnswer';
    if (code === 'NoSuchKey') continue;
    const [key, message] = [textOf(element, 'Key') ?? '', textOf(element, 'Message') ?? code];
    const { status } = response;
    if (!requested.has(key))
      throw new S3Error(
        'UnexpectedAnswer',
        `The store reports an error for "${key}", which was not to be deleted: ${code}: ${message}`,
        {
          status,
        },
      );
    failed.set(key, new S3Error(code, message, { status }));
  }
  return failed;
}

/** Returns whether a key can be written in XML 1.0, which excludes some control characters. @see https://www.w3.org/TR/xml/#charsets */
// oxlint-disable-next-line no-control-regex
export const fitsXml = (key: string): boolean => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(key);

import { createHmac, hkdfSync } from 'node:crypto';
import { equalBytes } from '../runtime/equal-bytes.js';
import type { Creator } from '../identity/creator.js';
import type { StoredFile } from '../storage/types.js';

/** The query of a temporary link. */
export interface LinkQuery {
  expires?: string;
  /** The id of the API key that created the link; undefined if it is independent. */
  key?: string;
  /** The id of the workspace membership that created the link; undefined outside of workspaces. */
  member?: string;
  signature?: string;
}

/** Signs and verifies temporary links: URLs of one private file with an expiry and a signature. A link may open a resized image only. */
export class Links {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = new Uint8Array(hkdfSync('sha256', secret, '', 'svc-uploader temporary links', 32));
  }

  /**
   * @param expires seconds since 1970.
   * @param creator the link ends with its key and membership.
   * @param transform the parameters of an image. The link then opens this image and not the file.
   * @returns the query of the link.
   */
  query(file: StoredFile, expires: number, { keyId, memberId }: Pick<Creator, 'keyId' | 'memberId'>, transform?: string): string {
    const signature = this.#sign(file, expires, { keyId, memberId }, transform).toString('base64url');
    const query = new URLSearchParams({ expires: String(expires) });
    if (keyId !== null) query.set('key', keyId);
    if (memberId !== null) query.set('member', memberId);
    query.set('signature', signature);
    return transform === undefined ? query.toString() : `${transform}&${query.toString()}`;
  }

  /**
   * Checks the signature and expiry of a link in constant time. The caller must check the key and the membership that the query names.
   * @param now ms since 1970.
   * @param transform the parameters of the requested image; undefined for the file.
   */
  isValid(file: StoredFile, query: LinkQuery, now: number, transform?: string): boolean {
    const { expires = '', key = null, member = null, signature = '' } = query;
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= now) return false;
    const received = Buffer.from(signature, 'base64url');
    const expected = this.#sign(file, Number(expires), { keyId: key, memberId: member }, transform);
    return equalBytes(received, expected);
  }

  /**
   * Signs the id and the key of the file, so that a link ends when the file is moved or replaced. Links created before provenance was
   * recorded contain no API key. The fields of a membership and of an image are named, so that no key can stand in their place.
   */
  #sign(
    file: StoredFile,
    expires: number,
    { keyId, memberId }: Pick<Creator, 'keyId' | 'memberId'>,
    transform: string | undefined,
  ): Buffer {
    const creator = [...(keyId === null ? [] : [keyId]), ...(memberId === null ? [] : [{ member: memberId }])];
    const image = transform === undefined ? [] : [{ image: transform }];
    const fields = [file.bucketId, file.id, file.key, expires, ...creator, ...image];
    return createHmac('sha256', this.#secret).update(JSON.stringify(fields)).digest();
  }
}

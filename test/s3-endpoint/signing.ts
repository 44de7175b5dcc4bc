import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { HttpRequest } from '@smithy/types';

/** The signer of the AWS SDK for JavaScript. It is independent of this project. */
export class Sha256 {
  readonly #hash;
  constructor(secret?: unknown) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Buffer);
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }
  reset(): void {
    throw new Error('not used');
  }
}

export interface KeyPair {
  accessKeyId: string;
  secretAccessKey: string;
}

export const signer = (credentials: KeyPair, region = 'us-east-1') =>
  new SignatureV4({ service: 's3', region, credentials, sha256: Sha256, uriEscapePath: false, applyChecksum: true });

export const httpRequest = (
  method: string,
  host: string,
  path: string,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): HttpRequest => ({ method, protocol: 'http:', hostname: host, path, query, headers: { host, ...headers } });

export const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

export const urlOf = ({ path, query = {} }: HttpRequest): string => {
  const search = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    .join('&');
  return search === '' ? path : `${path}?${search}`;
};

export const rawHeaders = (headers: Record<string, string>): string[] => Object.entries(headers).flat();

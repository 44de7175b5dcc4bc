import { SignatureV4 } from '@smithy/signature-v4';
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { portableDigests } from '../../src/bulk/s3/digests.js';
import { encodeKey } from '../../src/bulk/s3/object-keys.js';
import { Signer } from '../../src/bulk/s3/sigv4.js';

describe('Signer', () => {
  class NodeSha256 {
    readonly #hash;
    constructor(secret?: string | Uint8Array) {
      this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
    }
    update(data: string | Uint8Array) {
      this.#hash.update(data);
    }
    digest() {
      return Promise.resolve(new Uint8Array(this.#hash.digest()));
    }
  }

  it('signs requests as the AWS SDK does', async () => {
    const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' };
    const sdk = new SignatureV4({
      service: 's3',
      region: 'eu-1',
      credentials,
      sha256: NodeSha256 as never,
      uriEscapePath: false,
    });
    const signer = new Signer('eu-1', portableDigests.sha256Hex);
    for (const day of [0, 0, 1]) {
      const now = Date.UTC(2026, 10, 21 + day, 23, 59, 59);
      const headers: Record<string, string> = { host: 'b.example', 'x-amz-meta-a': 'two  spaces', 'content-type': 'text/plain' };
      const path = `/b/${encodeKey("k \u00E9!'()*")}`;
      signer.sign({ method: 'PUT', path, query: 'partNumber=1&uploadId=x%2Fy', headers }, credentials, 'UNSIGNED-PAYLOAD', now);
      const { authorization, 'x-amz-date': _, 'x-amz-security-token': __, ...unsignedHeaders } = headers;
      const signed = (await sdk.sign(
        {
          method: 'PUT',
          protocol: 'https:',
          hostname: 'b.example',
          path,
          query: { partNumber: '1', uploadId: 'x/y' },
          headers: unsignedHeaders,
        } as never,
        { signingDate: new Date(now) },
      )) as unknown as { headers: Record<string, string> };
      expect(authorization).toBe(signed.headers['authorization']);
    }
  });
});

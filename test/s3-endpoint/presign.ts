import type { TestEndpoint } from './start-endpoint.js';
import { httpRequest, signer, urlOf } from './signing.js';
import type { KeyPair } from './signing.js';

/** Presigns a URL with the SDK's signer. @param seconds its lifetime. */
export async function getSignedUrl(
  endpoint: TestEndpoint,
  pair: KeyPair,
  path: string,
  seconds: number,
  method = 'GET',
): Promise<string> {
  const request = httpRequest(method, endpoint.host, path, {}, { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' });
  return endpoint.url + urlOf(await signer(pair).presign(request, { expiresIn: seconds }));
}

import { afterAll, describe, expect, it, vi } from 'vitest';
import { TemporaryKeys } from '../../demo/backend/temporary-keys.js';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';

const endpoint = await TestEndpoint.start();
afterAll(() => endpoint.stop());

describe('temporary keys of the demo', () => {
  it('creates key pairs after a failed first attempt', async () => {
    const keys = new TemporaryKeys({
      apiKey: endpoint.apiKey,
      url: endpoint.restUrl,
      endpoint: endpoint.url,
      origins: ['http://localhost:1'],
    });
    // A service that is starting refuses connections.
    vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('fetch failed'));
    await expect(keys.create()).rejects.toThrow('fetch failed');
    expect(await keys.create()).toMatchObject({ access_key_id: expect.any(String) as string });
    await keys.close();
  });
});

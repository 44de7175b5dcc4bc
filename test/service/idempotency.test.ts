import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

describe('an idempotency key', () => {
  const uploadWithKey = (content: string, name: string, key: string, credential?: string) =>
    service.upload(content, name, { headers: { 'Idempotency-Key': key }, ...(credential !== undefined && { credential }) });

  it('returns the same status for the repeat of a replacement', async () => {
    const put = (content: string, key: string) =>
      service.put('repeated.txt?overwrite=true', content, { headers: { 'Idempotency-Key': key.repeat(22) } });
    const statuses = [];
    for (const [content, key] of ['1a', '1a', '2b', '2b', '1a']) statuses.push((await put(content!, key!)).status);
    expect(statuses).toEqual([201, 201, 200, 200, 201]);
  });

  it('returns the first result for a repeat and takes no use', async () => {
    const { token } = await service.mint({ prefix: 'once', max_uses: 1 });
    const first = await uploadWithKey('x', 'a.txt', 'k'.repeat(22), token);
    const second = await uploadWithKey('x', 'a.txt', 'k'.repeat(22), token);
    expect(second).toMatchObject({ status: 201, response: first.response });
    const other = await service.mint({ prefix: 'elsewhere' });
    expect((await uploadWithKey('x', 'a.txt', 'k'.repeat(22), other.token)).response).toEqual(first.response);
    expect((await service.paths()).filter((path) => /^(once|elsewhere)\//.test(path))).toHaveLength(1);
  });

  it('is rejected for other bytes and other names', async () => {
    expect((await uploadWithKey('one', 'n.txt', 'm'.repeat(22))).status).toBe(201);
    for (const [content, name] of [
      ['two', 'n.txt'],
      ['one', 'o.txt'],
    ] as const) {
      const response = await uploadWithKey(content, name, 'm'.repeat(22));
      expect([response.status, response.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });

  it('returns no result to a revoked token', async () => {
    const { token, id } = await service.mint({ prefix: 'r' });
    await uploadWithKey('x', 'a.txt', 'r'.repeat(22), token);
    await service.call('DELETE', `/v1/upload-tokens/${id}`);
    expect((await uploadWithKey('x', 'a.txt', 'r'.repeat(22), token)).error.details['reason']).toBe('revoked');
  });

  it('can be used again after a failure', async () => {
    const { token } = await service.mint({ prefix: 'f', max_size: 3 });
    expect((await uploadWithKey('long', 'a.txt', 'f'.repeat(22), token)).status).toBe(413);
    expect((await uploadWithKey('ok', 'a.txt', 'f'.repeat(22), token)).status).toBe(201);
  });

  it('stores one file for many parallel repeats', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => uploadWithKey('p', 'par.txt', 'p'.repeat(22))));
    expect((await service.paths()).filter((path) => path === 'par.txt')).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect([response.status, response.error.code]).toEqual([409, 'OPERATION_IN_PROGRESS']);
      expect(response.headers.get('retry-after')).toBe('1');
    }
  });

  it.each(['short', 'x'.repeat(256)])('is rejected if its length is invalid: %s', async (key) => {
    expect((await uploadWithKey('x', 'y.txt', key)).error.path).toBe('idempotency-key');
  });
});

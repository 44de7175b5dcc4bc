import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

it('S3 key pairs are created, shown once, listed and revoked', async () => {
  const plain = await service.call<Record<string, string>>('POST', '/v1/s3-credentials');
  expect(plain.status).toBe(201);
  const created = await service.call<Record<string, string>>('POST', '/v1/s3-credentials', {
    body: { name: 'backup', read_only: true, prefix: 'backups/' },
  });
  const { secret_access_key, ...record } = created.response;
  expect(secret_access_key!.length).toBeGreaterThanOrEqual(40);
  expect(record).toMatchObject({ name: 'backup', read_only: true, prefix: 'backups' });
  const list = await service.call<{ s3_credentials: object[] }>('GET', '/v1/s3-credentials');
  expect(list.response.s3_credentials).toEqual([expect.objectContaining({ read_only: false }), record]);
  const gone = () => service.call('DELETE', `/v1/s3-credentials/${record['access_key_id']}`);
  expect((await gone()).status).toBe(200);
  expect((await gone()).error.code).toBe('NOT_FOUND');
  expect((await service.call('POST', '/v1/s3-credentials', { body: { prefix: '../x' } })).error.path).toBe('prefix');
});

it('an S3 key pair may expire', async () => {
  const make = (expires_in: unknown) =>
    service.call<Record<string, string | null>>('POST', '/v1/s3-credentials', { body: { expires_in } });
  const { response } = await make(900);
  const lasts = Date.parse(response['expires_at']!) - Date.parse(response['created_at']!);
  expect(lasts).toBe(900_000);
  expect((await make(null)).response['expires_at']).toBeNull();
  for (const wrong of [59, 604_801, 60.5]) expect((await make(wrong)).error).toMatchObject({ path: 'expires_in' });
});

it('an account can have a limited number of S3 key pairs, even if many are created in parallel', async () => {
  const created = await Promise.allSettled(
    Array.from({ length: 120 }, () => service.service.core.s3Credentials.create('main', { name: 'many' })),
  );
  for (const one of created) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await service.service.core.s3Credentials.list('main')).toHaveLength(100);
});

it('the list names the bucket, and the address of the S3 endpoint if it is known', async () => {
  const addressOf = async (options: object): Promise<{ bucket: string; endpoint: string | null }> => {
    const own = await TestService.start(options);
    try {
      return (await own.call<{ bucket: string; endpoint: string | null }>('GET', '/v1/s3-credentials')).response;
    } finally {
      await own.stop();
    }
  };
  expect(await addressOf({})).toMatchObject({ bucket: 'main', endpoint: null });
  expect(await addressOf({ s3Port: 0, s3PublicUrl: 'https://s3.example.org/' })).toMatchObject({
    endpoint: 'https://s3.example.org',
  });
  expect(await addressOf({ s3Port: 0, publicUrl: 'https://files.example.org' })).toMatchObject({ endpoint: null });
});

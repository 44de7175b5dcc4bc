import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

interface Rule {
  id: string;
  prefix: string;
}
const rule = (body: object) => service.call<Rule>('POST', '/v1/rules', { body });

describe('a rule', () => {
  it('sets properties that uploads to its folder omit', async () => {
    await rule({ prefix: 'press/', visibility: 'public', cache_control: 'max-age=60', expires_after: 3600 });
    const open = (await service.put('press/a.txt', 'x')).response;
    expect(open).toMatchObject({ visibility: 'public', cache_control: 'max-age=60' });
    expect(Date.parse(open.expires_at!) - Date.parse(open.created_at)).toBe(3_600_000);
    const stated = (await service.put('press/b.txt?visibility=private', 'x')).response;
    expect(stated.visibility).toBe('private');
    expect((await service.put('pressing/a.txt', 'x')).response).toMatchObject({ visibility: 'private', expires_at: null });
  });

  it('limits every upload route', async () => {
    await rule({ prefix: 'small', max_size: 5, allowed_extensions: ['.TXT'] });
    const before = [await service.paths(), await service.blobs()];
    const endless = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new Uint8Array(4));
          controller.enqueue(new Uint8Array(4));
          controller.close();
        },
      });
    const { token } = await service.mint({ prefix: 'small', max_size: 100 });
    const refused = [
      [await service.put('small/a.txt', '123456'), 'BLOB_FILE_TOO_LARGE'],
      [await service.put('small/a.txt', endless()), 'BLOB_FILE_TOO_LARGE'],
      [await service.upload('123456', 'a.txt', { credential: token }), 'BLOB_FILE_TOO_LARGE'],
      [await service.put('small/a.exe', '1'), 'BLOCKED_FILE_TYPE'],
    ] as const;
    expect(refused.map(([response]) => response.error.code)).toEqual(refused.map(([, code]) => code));
    expect([await service.paths(), await service.blobs()]).toEqual(before);
    expect((await service.put('small/a.txt', '12345')).status).toBe(201);

    const { response: big } = await service.put('big.txt', '1234567');
    for (const way of ['copy', 'move'])
      expect((await service.call('POST', `/v1/files/${big.id}/${way}`, { body: { path: 'small/big.txt' } })).error.code).toBe(
        'BLOB_FILE_TOO_LARGE',
      );
    expect((await service.call('PATCH', `/v1/files/${big.id}`, { body: { path: 'small/big.txt' } })).status).toBe(413);
  });

  it('is the only one of its prefix, even after parallel changes', async () => {
    const rules = await Promise.all(['one', 'two'].map((name) => rule({ prefix: `at-once/${name}` })));
    for (let round = 0; round < 10; round++) {
      const httpResponses = await Promise.all(
        rules.map(({ response }) =>
          service.call('PATCH', `/v1/rules/${response.id}`, { body: { prefix: `at-once/same-${round}` } }),
        ),
      );
      expect(httpResponses.map((response) => response.status).toSorted()).toEqual([200, 400]);
    }
    for (const { response } of rules) await service.call('DELETE', `/v1/rules/${response.id}`);
  });

  it('of the innermost folder applies', async () => {
    await rule({ prefix: 'outer', max_size: 3 });
    await rule({ prefix: 'outer/inner', max_size: 10 });
    expect((await service.put('outer/a.txt', '12345')).status).toBe(413);
    expect((await service.put('outer/inner/a.txt', '12345')).status).toBe(201);
  });

  it('is listed, read, changed and deleted', async () => {
    const { id } = (await rule({ prefix: 'life', max_size: 3 })).response;
    expect((await rule({ prefix: 'life', max_size: 4 })).error.path).toBe('prefix');
    const changed = await service.call('PATCH', `/v1/rules/${id}`, { body: { max_size: null, visibility: 'public' } });
    expect(changed.response).toMatchObject({ prefix: 'life', max_size: null, visibility: 'public' });
    expect((await service.call('GET', `/v1/rules/${id}`)).response).toEqual(changed.response);
    const list = await service.call<{ rules: Rule[] }>('GET', '/v1/rules');
    expect(list.response.rules.map((one) => one.prefix)).toEqual(['life', 'outer', 'outer/inner', 'press', 'small']);
    expect((await service.call('DELETE', `/v1/rules/${id}`)).status).toBe(200);
    expect((await service.call('GET', `/v1/rules/${id}`)).error.code).toBe('NOT_FOUND');
  });

  it.each([
    [{ prefix: '../a', max_size: 1 }, 'prefix'],
    [{ max_size: 0 }, 'max_size'],
    [{ allowed_extensions: ['a/b'] }, 'allowed_extensions'],
    [{ visibility: 'both' }, 'visibility'],
    [{ cache_control: 'a\nb' }, 'cache_control'],
    [{ expires_after: 0 }, 'expires_after'],
  ])('is rejected with an invalid field: %j', async (body, field) => {
    const httpResponse = await rule(body);
    expect([httpResponse.status, httpResponse.error.path]).toEqual([400, field]);
  });
});

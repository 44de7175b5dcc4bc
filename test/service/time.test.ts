import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTime } from '../../src/protocol/time.js';
import { withMetadata } from './change-key.js';
import { TestService } from './support.js';

describe('parsing a time', () => {
  it.each([
    ['2030-01-31T12:00:00Z', Date.UTC(2030, 0, 31, 12)],
    ['2030-01-31T12:00Z', Date.UTC(2030, 0, 31, 12)],
    ['2030-01-31T12:00:00.25+02:00', Date.UTC(2030, 0, 31, 10, 0, 0, 250)],
    ['2032-02-29T00:00:00Z', Date.UTC(2032, 1, 29)],
  ])('accepts %s', (text, time) => expect(parseTime(text)).toBe(time));

  it.each([
    '2030-02-31T00:00:00Z',
    '2030-02-29T00:00:00Z',
    '2030-04-31T23:00:00-05:00',
    '2030-13-01T00:00:00Z',
    '2030-00-01T00:00:00Z',
    '2030-01-00T00:00:00Z',
    '2030-01-01T25:00:00Z',
    // Without a time zone.
    '2030-01-31T12:00:00',
    '2030-01-31',
    'tomorrow',
    // After the year 9999 in UTC.
    '9999-12-31T23:59:59-14:00',
    '9999-12-31T24:00:00Z',
    ' 2030-01-31T12:00:00Z',
    '+012030-01-31T12:00:00Z',
  ])('rejects %s', (text) => expect(parseTime(text)).toBeUndefined());
});

describe('a time after the year 9999 in UTC', () => {
  const expires_at = '9999-12-31T23:59:59-14:00';
  let service: TestService;
  beforeAll(async () => void (service = await TestService.start()));
  afterAll(() => service.stop());

  it('is rejected for files, shares and tokens', async () => {
    const { token } = await service.mint({ prefix: 'visitors' });
    const httpResponses = [
      await service.upload('x', 'a.txt', { credential: token, fields: { expires_at } }),
      await service.call('POST', '/v1/shares', { body: { prefix: 'visitors', expires_at } }),
      await service.call('POST', '/v1/upload-tokens', { body: { expires_at } }),
    ];
    for (const { status, error } of httpResponses) expect([status, error.path]).toEqual([400, 'expires_at']);
    expect(await service.paths()).toEqual([]);
  });

  it('does not break a listing if it is stored already', async () => {
    const { response: file } = await service.put('old.txt', 'x');
    await service.call('POST', '/v1/shares', { body: { path: 'old.txt' } });
    await service.mint({ path: 'old.txt', expires_at: '9999-12-31T00:00:00Z' });
    const time = Date.parse(expires_at);
    await withMetadata(service.dataDir, (metadata) =>
      metadata.write(async (query) => {
        for (const table of ['files', 'shares'] as const) await query.updateTable(table).set({ expires_at: time }).execute();
        await query.updateTable('upload_tokens').set({ file_expires_at: time }).execute();
      }),
    );
    for (const list of ['files', 'shares', 'upload-tokens']) expect((await service.call('GET', `/v1/${list}`)).status).toBe(200);
    const read = await service.call('GET', `/v1/files/${file.id}`);
    expect(read.response).toMatchObject({ expires_at: '9999-12-31T23:59:59.999Z' });
  });
});

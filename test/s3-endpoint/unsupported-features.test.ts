import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from './start-endpoint.js';

let endpoint: TestEndpoint;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
});
afterAll(() => endpoint.stop());

describe('an unsupported feature', () => {
  it.each<[string, string, Record<string, string>, Record<string, string>]>([
    ['PUT', '/main', { versioning: '' }, {}],
    ['PUT', '/main', { lifecycle: '' }, {}],
    ['GET', '/main', { policy: '' }, {}],
    ['GET', '/main/key', { torrent: '' }, {}],
    ['POST', '/main/key', { select: '', 'select-type': '2' }, {}],
    ['PUT', '/main/key', {}, { 'x-amz-server-side-encryption': 'AES256' }],
    ['PUT', '/main/key', {}, { 'x-amz-object-lock-mode': 'GOVERNANCE' }],
    ['PUT', '/main/key', {}, { 'x-amz-storage-class': 'GLACIER' }],
    ['PUT', '/main/key', {}, { 'x-amz-grant-read': 'id=x' }],
    ['PUT', '/main/key', {}, { 'x-amz-website-redirect-location': '/x' }],
  ])('says so: %s %s %o %o', async (method, path, query, headers) => {
    const response = await endpoint.send(method, path, { query, headers, ...(method === 'GET' ? {} : { body: 'x' }) });
    expect([response.status, response.code]).toEqual([501, 'NotImplemented']);
    expect((await endpoint.stored()).keys).not.toContain('key');
  });

  it('is logged as an error of the client', async () => {
    const levels: Record<string, unknown[]> = { info: [], error: [] };
    const logger = { level: 'info', silent: () => {}, child: () => logger } as unknown as Record<string, unknown>;
    for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
      logger[level] = (fields: unknown) => void levels[level]?.push(fields);
    const logged = await TestEndpoint.start({ logger: logger as never });
    await logged.send('PUT', '/main', { query: { versioning: '' }, body: 'x' });
    await logged.stop();
    expect(levels['info']).toContainEqual({ s3: expect.objectContaining({ status: 501, code: 'NotImplemented' }) });
    expect(levels['error']).toEqual([]);
  });

  it('is rejected when a bucket is created with it', async () => {
    const create = (inner: string) =>
      endpoint.send('PUT', '/new-bucket', { body: `<CreateBucketConfiguration>${inner}</CreateBucketConfiguration>` });
    expect(await create('<Tags><Tag><Key>a</Key><Value>b</Value></Tag></Tags>')).toMatchObject({
      status: 501,
      code: 'NotImplemented',
    });
    expect(await endpoint.send('HEAD', '/new-bucket')).toMatchObject({ status: 404 });
    expect(await create('<LocationConstraint>eu-west-1</LocationConstraint>')).toMatchObject({ status: 200 });
  });

  it('has an error with Code, Message, Resource and RequestId', async () => {
    const response = await endpoint.send('GET', '/main/no%20such');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/xml');
    const id = response.headers.get('x-amz-request-id');
    for (const part of [
      '<Code>NoSuchKey</Code>',
      '<Message>',
      '<Key>no such</Key>',
      '<Resource>/main/no such</Resource>',
      `<RequestId>${id}</RequestId>`,
    ])
      expect(response.text).toContain(part);
  });
});

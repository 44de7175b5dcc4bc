import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OpenApi } from '../../server/service/rest/openapi/openapi.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const documentOf = async () => (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;

describe('the OpenAPI document', () => {
  it('contains every route', async () => {
    const { paths, openapi } = await documentOf();
    expect(openapi).toBe('3.1.0');
    const routes = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect(routes).toEqual(
      expect.arrayContaining([
        'post /v1/upload-tokens',
        'get /v1/upload-tokens',
        'get /v1/upload-tokens/self',
        'get /v1/upload-tokens/{id}',
        'delete /v1/upload-tokens/{id}',
        'get /v1/files',
        'post /v1/files',
        'post /v1/files/batch',
        'put /v1/files/{path}',
        'get /v1/files/{id}',
        'patch /v1/files/{id}',
        'delete /v1/files/{id}',
        'get /v1/files/{id}/content',
        'post /v1/files/{id}/copy',
        'post /v1/files/{id}/move',
        'post /v1/files/{id}/links',
        'post /v1/files/delete',
        'post /v1/uploads',
        ...['shares', 'rules', 'domains'].flatMap((what) => [
          `get /v1/${what}`,
          `post /v1/${what}`,
          `get /v1/${what}/{id}`,
          `patch /v1/${what}/{id}`,
          `delete /v1/${what}/{id}`,
        ]),
        'get /v1/s3-credentials',
        'post /v1/s3-credentials',
        'delete /v1/s3-credentials/{access_key_id}',
        'get /v1/stats',
        'get /f/{account}/{path}',
        'get /healthz',
        'get /readyz',
        'get /metrics',
        'get /openapi.json',
        'get /docs',
        'head /v1/uploads/{id}',
      ]),
    );
  });

  it('states limits and credentials, and all its references resolve', async () => {
    const document = await documentOf();
    const { schemas } = document.components;
    for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      expect(Object.keys(schemas)).toContain(name);
    for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/headers\/([^"]+)"/g))
      expect(Object.keys(document.components.headers)).toContain(name);
    expect(JSON.stringify(document)).not.toContain('$id');
    const mint = document.paths['/v1/upload-tokens']!['post']!;
    expect(mint.security).toEqual([{ apiKey: ['blob:write'] }, { session: [] }]);
    expect(mint.requestBody!.content['application/json']!.schema).toEqual({ $ref: '#/components/schemas/UploadTokenRequest' });
    expect(schemas['UploadTokenRequest']).toMatchObject({
      additionalProperties: false,
      properties: { expires_in: { minimum: 60, maximum: 3600, default: 900 }, max_uses: { minimum: 1, maximum: 100 } },
    });
    expect(document.paths['/v1/files']!['post']!.security).toEqual([
      { apiKey: ['blob:write'] },
      { session: [] },
      { uploadToken: [] },
    ]);
    const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes the success of every operation and the headers of every response', async () => {
    for (const [path, methods] of Object.entries((await documentOf()).paths))
      for (const [method, { responses, security }] of Object.entries(methods)) {
        const name = `${method} ${path}`;
        expect([name, Object.keys(responses).filter((status) => /^[23]/.test(status)).length]).not.toEqual([name, 0]);
        for (const { headers } of Object.values(responses)) {
          expect(Object.keys(headers)).toContain('X-Request-Id');
          const withKey = security.some((one) => 'apiKey' in one);
          expect([name, 'X-RateLimit-Reset' in headers, 'X-Quota-Remaining' in headers]).toEqual([name, withKey, withKey]);
        }
        expect(responses['default']!.headers).toHaveProperty('Retry-After');
      }
  });

  it('describes the responses of tus, downloads and uploads', async () => {
    const { paths } = await documentOf();
    const statuses = (method: string, path: string) => Object.keys(paths[path]![method]!.responses);
    const asked = (method: string, path: string) =>
      paths[path]![method]!.parameters.filter((one) => one.in === 'header').map((one) => [one.name, one.required]);
    for (const path of ['/v1/files/{id}/content', '/f/{account}/{path}', '/s/{id}/{path}'])
      expect(statuses('get', path)).toEqual(['200', '206', '304', '412', '416', 'default']);
    expect(asked('get', '/f/{account}/{path}')).toContainEqual(['Range', false]);
    expect(statuses('post', '/v1/files')).toEqual(['201', 'default']);
    expect(statuses('put', '/v1/files/{path}')).toEqual(['200', '201', 'default']);
    expect(paths['/v1/files/{path}']!['put']!.parameters.map((one) => one.name)).not.toContain('prefix');
    expect(statuses('post', '/v1/uploads')).toEqual(['200', '201', 'default']);
    expect(statuses('head', '/v1/uploads/{id}')).toEqual(['200', 'default']);
    expect(statuses('patch', '/v1/uploads/{id}')).toEqual(['200', '204', 'default']);
    expect(statuses('delete', '/v1/uploads/{id}')).toEqual(['204', 'default']);
    for (const [method, path] of [
      ['post', '/v1/uploads'],
      ['patch', '/v1/uploads/{id}'],
    ] as const)
      expect(asked(method, path)).toContainEqual(['Tus-Resumable', true]);
    expect(asked('patch', '/v1/uploads/{id}')).toContainEqual(['Upload-Offset', true]);
  });

  it('lists only headers that responses have', async () => {
    const { paths } = await documentOf();
    const documentedHeaders = (method: string, path: string, status: number) =>
      Object.keys(paths[path]![method]!.responses[status]!.headers).map((name) => name.toLowerCase());
    const put = await service.upload('abc', 'headers.txt');
    const tus = { 'Tus-Resumable': '1.0.0' };
    const described = { ...tus, 'Upload-Length': '6', 'Upload-Metadata': 'filename aC50eHQ=' };
    const created = await service.call('POST', '/v1/uploads', { headers: described });
    const place = created.headers.get('location')!;
    const content = `/v1/files/${put.response.id}/content`;
    const bytes = (headers: Record<string, string>) => service.call('GET', content, { headers });
    const piece = { ...tus, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
    for (const [method, path, response] of [
      ['post', '/v1/files', put],
      ['put', '/v1/files/{path}', await service.put('headers.txt?overwrite=true', 'abcd')],
      ['post', '/v1/uploads', created],
      ['head', '/v1/uploads/{id}', await service.call('HEAD', place, { headers: tus })],
      ['get', '/v1/uploads/{id}', await service.call('GET', place)],
      ['patch', '/v1/uploads/{id}', await service.call('PATCH', place, { headers: piece, body: 'abc' })],
      [
        'patch',
        '/v1/uploads/{id}',
        await service.call('PATCH', place, { headers: { ...piece, 'Upload-Offset': '3' }, body: 'def' }),
      ],
      ['get', '/v1/files/{id}/content', await bytes({})],
      ['get', '/v1/files/{id}/content', await bytes({ Range: 'bytes=1-2' })],
      ['get', '/v1/files/{id}/content', await bytes({ 'If-None-Match': '*' })],
      ['get', '/v1/files/{id}/content', await bytes({ 'If-Match': '"other"' })],
      ['get', '/v1/files/{id}/content', await bytes({ Range: 'bytes=9-' })],
    ] as const)
      for (const name of documentedHeaders(method, path, response.status))
        expect([method, path, response.status, name, response.headers.has(name)]).toEqual([
          method,
          path,
          response.status,
          name,
          true,
        ]);
  });
});

it('/docs shows every operation, with one script of its own and no foreign resources', async () => {
  const response = await fetch(`${service.url}/docs`);
  const page = await response.text();
  const style = createHash('sha256')
    .update(/<style>(.*?)<\/style>/s.exec(page)![1]!)
    .digest('base64');
  expect(response.headers.get('content-security-policy')).toContain(`default-src 'none'; style-src 'sha256-${style}';`);
  for (const path of Object.keys((await documentOf()).paths)) expect(page).toContain(path);
  expect(page).not.toMatch(/<script |src=|https?:\/\/(?!example\.org)/);
  const script = createHash('sha256')
    .update(/<script>(.*?)<\/script>/s.exec(page)![1]!)
    .digest('base64');
  expect(response.headers.get('content-security-policy')).toContain(`script-src 'sha256-${script}'; connect-src 'self'`);
  // Descriptions mark code by backticks.
  expect(page).toContain('With <code>Accept: text/html</code>, the response is a page.');
});

it('/metrics counts by route and code, without paths or credentials', async () => {
  await service.put('metrics/secret-name.txt', 'x');
  await service.put('metrics/secret-name.txt', 'x');
  // Each process has its own counters, as Prometheus expects.
  const texts = await Promise.all([1, 2].map(async () => (await fetch(`${service.url}/metrics`)).text()));
  const text = texts.join('\n');
  expect(text).toMatch(/svc_http_request_duration_seconds_count\{method="PUT",route="\/v1\/files\/\*",status="201"\} 1/);
  expect(text).toMatch(/svc_errors_total\{code="FILE_EXISTS"\} 1/);
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).not.toContain('secret-name');
  expect(text).not.toContain(service.key);
});

it('/metrics of services that share a process contain its metrics, but no counters of each other', async () => {
  const other = await TestService.start();
  await service.put('metrics/first.txt', 'x');
  await service.put('metrics/first.txt', 'x');
  const text = await (await fetch(`${other.url}/metrics`)).text();
  await other.stop();
  expect(text.match(/^nodejs_version_info\{/gm)).toHaveLength(1);
  expect(text).toContain('svc_connections_open');
  expect(text).not.toContain('FILE_EXISTS');
});

it('starting another service adds no observer of the garbage collector', async () => {
  const observe = vi.spyOn(PerformanceObserver.prototype, 'observe');
  await (await TestService.start()).stop();
  expect(observe).not.toHaveBeenCalled();
});

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApi } from '../../server/service/http/openapi.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const documentOf = async () => (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;

describe('the OpenAPI document', () => {
  it('knows every route of the contract', async () => {
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

  it('says what validates: bounds, credentials, references that resolve', async () => {
    const document = await documentOf();
    const { schemas } = document.components;
    for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      expect(Object.keys(schemas)).toContain(name);
    expect(JSON.stringify(document)).not.toContain('$id');
    const mint = document.paths['/v1/upload-tokens']!['post']!;
    expect(mint.security).toEqual([{ apiKey: ['blob:write'] }]);
    expect(mint.requestBody!.content['application/json']!.schema).toEqual({ $ref: '#/components/schemas/UploadTokenRequest' });
    expect(schemas['UploadTokenRequest']).toMatchObject({
      additionalProperties: false,
      properties: { expires_in: { minimum: 60, maximum: 3600, default: 900 }, max_uses: { minimum: 1, maximum: 100 } },
    });
    expect(document.paths['/v1/files']!['post']!.security).toEqual([{ apiKey: ['blob:write'] }, { uploadToken: [] }]);
    const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

it('/docs shows every operation, without scripts or anything from elsewhere', async () => {
  const answer = await fetch(`${service.url}/docs`);
  const page = await answer.text();
  const style = createHash('sha256')
    .update(/<style>(.*?)<\/style>/s.exec(page)![1]!)
    .digest('base64');
  expect(answer.headers.get('content-security-policy')).toMatch(
    `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'`,
  );
  for (const path of Object.keys((await documentOf()).paths)) expect(page).toContain(path);
  expect(page).not.toMatch(/<script|src=|https?:\/\//);
});

it('/metrics counts by route and code, and names nobody', async () => {
  await service.put('metrics/secret-name.txt', 'x');
  await service.put('metrics/secret-name.txt', 'x');
  // Each process counts for itself, as Prometheus expects.
  const texts = await Promise.all([1, 2].map(async () => (await fetch(`${service.url}/metrics`)).text()));
  const text = texts.join('\n');
  expect(text).toMatch(/svc_http_request_duration_seconds_count\{method="PUT",route="\/v1\/files\/\*",status="201"\} 1/);
  expect(text).toMatch(/svc_errors_total\{code="FILE_EXISTS"\} 1/);
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).not.toContain('secret-name');
  expect(text).not.toContain(service.key);
});

import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApi } from '../../server/service/rest/openapi/openapi.js';
import { exampleRequest, writeExample } from '../../server/service/rest/pages/docs/examples.js';
import type { ExampleRequest } from '../../server/service/rest/pages/docs/examples.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const documentOf = async () => (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;

describe('the examples of /docs', () => {
  const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<void>;
  const withoutImports = (code: string) => code.replaceAll(/^import .*$/gm, '');
  const requests = async () => {
    const document = await documentOf();
    return Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        id: `${method} ${path}`,
        request: exampleRequest(document, method, path, operation),
      })),
    );
  };

  it('parse for every route, as JavaScript and in a shell', async () => {
    const all = await requests();
    for (const { request } of all)
      expect(() => new AsyncFunction(withoutImports(writeExample('javascript', request)))).not.toThrow();
    execFileSync('sh', ['-n'], { input: all.map(({ request }) => writeExample('curl', request)).join('\n') });
    expect(all.length).toBeGreaterThan(50);
    for (const { request } of all) expect(writeExample('python', request)).not.toMatch(/\b(?:true|false|null)\b/);
  });

  /** Runs an example in JavaScript. @returns what it prints: the status and the body of the response */
  async function run(request: ExampleRequest): Promise<unknown[]> {
    const printed: unknown[][] = [];
    const env = { SVC_BLOB_URL: service.url, SVC_API_KEY: service.key };
    await new AsyncFunction('process', 'console', 'openAsBlob', withoutImports(writeExample('javascript', request)))(
      { env },
      { log: (...values: unknown[]) => printed.push(values) },
      async () => new Blob(['11 letters.']),
    );
    return printed[0]!;
  }

  it('send resumable uploads', async () => {
    const all = await requests();
    const requestOf = (id: string) => all.find((one) => one.id === id)!.request;
    expect(await run(requestOf('post /v1/uploads'))).toEqual([201, '']);
    // The id of the upload is unknown, but its header and type are valid.
    for (const id of ['patch /v1/uploads/{id}', 'post /v1/uploads/{id}'])
      expect(await run(requestOf(id))).toEqual([404, expect.stringContaining('"code":"')]);
  });

  it.each([
    ['get /v1/stats', 200],
    ['get /v1/files', 200],
    ['post /v1/files', 201],
    ['put /v1/files/{path}', 201],
    ['post /v1/jobs', 202],
    ['post /v1/shares', 201],
    ['post /v1/upload-tokens', 201],
  ])('work: %s', async (id, status) => {
    const { request } = (await requests()).find((one) => one.id === id)!;
    expect(await run(request)).toEqual([status, expect.stringContaining('{"response":')]);
  });

  it('are valid requests to every route, although their ids and codes are made up', async () => {
    const invalid: string[] = [];
    for (const { id, request } of await requests()) {
      const [status, body] = await run(request);
      if ([400, 415].includes(status as number)) invalid.push(`${id}: ${String(body).slice(0, 100)}`);
    }
    // Its page explains that the client is unknown.
    expect(invalid).toEqual([expect.stringContaining('get /oauth/authorize: <!doctype html>')]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from './session-client.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

describe('account pages', () => {
  it.each([
    ['/setup', 'GET', 404, 'Esta página não está disponível'],
    ['/signin', 'GET', 404, 'Esta página não está disponível'],
    ['/console/files/%', 'GET', 400, 'Algo deu errado'],
    ['/sign-out', 'POST', 403, 'Não foi possível aceitar este formulário'],
    ['/workspace-invites/joined/unknown', 'GET', 404, 'Esta página não está disponível'],
  ])('tell people in their language about an error of %s, and programs in JSON', async (path, method, status, title) => {
    const { cookie } = await signIn(service);
    const request = (accept: string) =>
      fetch(service.url + path, {
        method,
        headers: { Accept: accept, 'Accept-Language': 'pt-BR', Cookie: cookie },
        ...(method === 'POST' && { body: new URLSearchParams() }),
      });
    const [page, json] = [await request('text/html,*/*;q=0.8'), await request('*/*')];

    expect([page.status, json.status]).toEqual([status, status]);
    expect(await page.text()).toContain(`<h1>${title}</h1>`);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(json.headers.get('content-type')).toContain('application/json');
  });

  it('are found from the address of the service', async () => {
    const open = (accept: string) => fetch(service.url, { redirect: 'manual', headers: { Accept: accept } });
    const [page, json] = [await open('text/html,*/*;q=0.8'), await open('*/*')];

    expect([page.status, page.headers.get('location')]).toEqual([303, '/console']);
    expect([json.status, await json.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
  });

  it('name a sign for the tab, which their policy allows', async () => {
    const { headers, text } = await fetch(`${service.url}/sign-in`).then(async (response) => ({
      headers: response.headers,
      text: await response.text(),
    }));
    expect(text).toContain('<link rel="icon" href="data:image/svg+xml,');
    expect(headers.get('content-security-policy')).toContain('img-src data:;');
  });
});

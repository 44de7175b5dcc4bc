import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

interface UploadRequest {
  id: string;
  url: string;
  files_received: number;
}

const create = async (fields: object, credential = service.key): Promise<UploadRequest> =>
  (await service.call<UploadRequest>('POST', '/v1/shares', { body: { mode: 'upload', ...fields }, credential })).response;

/** Requests a token as the page does. */
async function issue(
  { url }: UploadRequest,
  { count = 1, headers = {} }: { count?: number; headers?: Record<string, string> } = {},
) {
  const response = await fetch(`${url}/upload-tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: new URL(service.url).origin, ...headers },
    body: JSON.stringify({ files: Array.from({ length: count }, () => ({ name: 'a.txt', size: 1, type: '' })), reason: 'start' }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> & { token: string } };
}

const issueToken = async (request: UploadRequest, count = 1): Promise<string> => (await issue(request, { count })).body.token;
const send = (credential: string, name = 'a.txt', content = 'x') => service.upload(content, name, { credential });

describe('an upload request', () => {
  it('stores private files below its prefix, under new names, and shows nothing of the folder', async () => {
    await service.put('inbox/old.txt', 'old');
    const writer = await service.newKey(['blob:write']);
    const request = await create({ prefix: 'inbox', max_size: 10, allowed_extensions: ['.TXT'] }, writer.secret);

    const { status, body } = await issue(request, { count: 3 });

    expect([status, body]).toEqual([
      200,
      {
        token: expect.stringMatching(/^svcup_/),
        url: service.url,
        expires_at: expect.any(String),
        max_uses: 3,
        max_size: 10,
        allowed_extensions: ['txt'],
      },
    ]);
    const { response } = await send(body.token);
    expect(response).toMatchObject({ path: expect.stringMatching(/^inbox\/a-\w{10,}\.txt$/), visibility: 'private', url: null });
    expect((await send(body.token, 'a.exe')).status).toBe(415);
    expect((await send(body.token, 'b.txt', 'x'.repeat(11))).status).toBe(413);
    expect((await service.call<UploadRequest>('GET', `/v1/shares/${request.id}`)).response.files_received).toBe(1);
    expect(await (await fetch(request.url)).json()).toEqual({
      response: { title: null, mode: 'upload', max_size: 10, allowed_extensions: ['txt'], max_files: null },
    });
    for (const path of ['/', '/old.txt', '/?zip=1']) expect((await fetch(request.url + path)).status).toBe(404);
    expect((await service.call('GET', '/v1/files', { credential: body.token })).status).toBe(403);
  });

  it('has a page with the element, whose policy allows only its scripts', async () => {
    const request = await create({ prefix: 'page', max_files: 5, title: 'Photos' });

    const page = await fetch(request.url, { headers: { Accept: 'text/html' } });
    const text = await page.text();

    expect(text).toContain(`token-endpoint="/s/${request.id}/upload-tokens"`);
    expect(text).toContain('max-files="5"');
    expect(text).not.toContain('page/');
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain(`script-src ${service.url}/element/; connect-src 'self' ${service.url};`);
    for (const path of ['/element/..%2Fcli.js', '/element/service.js', '/element/svc-uploader/..%2F..%2Fservice.js'])
      expect((await fetch(service.url + path)).status).toBe(404);
  });

  it('accepts at most max_files in all, also from parallel visitors', async () => {
    const request = await create({ prefix: 'few', max_files: 3 });
    const tokens = await Promise.all(Array.from({ length: 6 }, () => issueToken(request)));

    const stored = await Promise.all(tokens.map((token) => send(token)));

    expect(stored.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(stored.find(({ status }) => status !== 201)!.error).toMatchObject({ details: { reason: 'exhausted' } });
    expect((await issue(request)).status).toBe(404);
    const page = await fetch(request.url, { headers: { Accept: 'text/html' } });
    expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('This link has been used up')]);
  });

  it('gives the place of a failed upload back', async () => {
    const request = await create({ prefix: 'failed', max_files: 1, max_size: 3 });
    const token = await issueToken(request);

    expect((await send(token, 'a.txt', 'large')).status).toBe(413);
    expect((await send(token, 'a.txt', 'fit')).status).toBe(201);
  });

  it('ends its tokens when it is deleted, expires, or its key is revoked', async () => {
    const reasonOf = async (token: string) => (await send(token)).error.details['reason'];
    const deleted = await create({ prefix: 'ends' });
    const token = await issueToken(deleted);
    await service.call('DELETE', `/v1/shares/${deleted.id}`);
    expect(await reasonOf(token)).toBe('revoked');
    expect((await issue(deleted)).status).toBe(404);

    const expired = await create({ prefix: 'ends' });
    const other = await issueToken(expired);
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    await service.call('PATCH', `/v1/shares/${expired.id}`, { body: { expires_at } });
    await service.advanceClock(61_000);
    try {
      expect(await reasonOf(other)).toBe('expired');
      expect((await issue(expired)).status).toBe(404);
    } finally {
      await service.advanceClock(0);
    }

    const key = await service.newKey(['blob:write']);
    const last = await issueToken(await create({ prefix: 'ends' }, key.secret));
    await service.service.core.keys.revoke('main', key.id);
    expect(await reasonOf(last)).toBe('key_revoked');
  });

  it('refuses tokens to pages of other sites, and without the password', async () => {
    const locked = await create({ prefix: 'locked', password: 'right' });
    const basic = { Authorization: `Basic ${Buffer.from('x:right').toString('base64')}` };

    expect((await issue(locked)).body['code']).toBe('AUTH_TOKEN_MISSING');
    expect((await issue(locked, { headers: basic })).status).toBe(200);
    expect((await issue(locked, { headers: { ...basic, Origin: 'https://evil.example' } })).body['code']).toBe('ORIGIN_DENIED');
  });

  it.each([
    [{ mode: 'upload', path: 'a' }, 'prefix'],
    [{ mode: 'read', prefix: '' }, 'prefix'],
    [{ mode: 'upload', prefix: 'a', max_downloads: 1 }, 'max_downloads'],
    [{ mode: 'upload', prefix: 'a', allowed_extensions: ['a/b'] }, 'allowed_extensions'],
    [{ prefix: 'a', max_files: 1 }, 'max_files'],
    [{ mode: 'both', prefix: 'a' }, 'mode'],
  ])('is rejected with an invalid field: %j', async (body, path) => {
    const { status, error } = await service.call('POST', '/v1/shares', { body });
    expect([status, error.path]).toEqual([400, path]);
  });

  it('limits the tokens for one network', async () => {
    const request = await create({ prefix: 'busy' });

    const statuses = (await Promise.all(Array.from({ length: 70 }, () => issue(request)))).map(({ status }) => status);

    expect(statuses).toContain(429);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokenMinter, createTokenRoute } from '../../server/helper/index.js';
import type { TokenGrant } from '../../server/helper/index.js';
import { TestService } from '../service/support.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

const createMinter = () => createTokenMinter({ apiKey: service.key, url: service.url });

describe('the helper with the real service', () => {
  it('mints tokens with all options', async () => {
    const token = await createMinter().mint({
      prefix: 'inbox',
      visibility: 'public',
      cache_control: 'max-age=60',
      content_disposition: 'attachment',
      expires_at: '2099-01-01T00:00:00Z',
      metadata: { order: '42' },
      max_size: 1000,
      allowed_extensions: ['.PDF', 'tar.gz'],
      overwrite: false,
      allow_fetch: true,
      allow_delete: true,
      expires_in: 60,
      max_uses: 100,
    });
    expect(token.token).toMatch(/^svcup_/);
    expect(token).toMatchObject({
      prefix: 'inbox',
      max_size: 1000,
      allowed_extensions: ['pdf', 'tar.gz'],
      allow_fetch: true,
      allow_delete: true,
      max_uses: 100,
      uses: 0,
    });
  });

  it('grants a token with which a page can upload', async () => {
    const route = createTokenRoute(createMinter(), { authorize: () => ({ prefix: 'forms', allowed_extensions: ['txt'] }) });
    const body = JSON.stringify({ files: [{ name: 'a.txt', size: 5, type: 'text/plain' }] });
    const request = new Request('http://site.example/upload-token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const grant = (await (await route(request)).json()) as TokenGrant;
    expect(grant.url).toBe(service.url);
    const stored = await service.upload('hello', 'Grüße 😀.txt', { credential: grant.token });
    expect(stored.status).toBe(201);
    expect(await createMinter().file(stored.response.path)).toMatchObject({
      id: stored.response.id,
      size: 5,
      sha256: stored.response.sha256,
    });
  });

  it('finds the file of exactly one path among similar paths', async () => {
    for (const path of ['same/name', 'same/name.txt', 'same/name/below.txt', 'same/nam'])
      await service.call('PUT', `/v1/files/${path}`, { body: path });
    expect((await createMinter().file('same/name'))?.size).toBe('same/name'.length);
    for (const path of ['same', 'same/', 'same/na', 'same/name/', 'SAME/NAME', '../same/name', 'same/name\u0000', '%2e%2e'])
      expect(await createMinter().file(path)).toBeNull();
  });

  it('links a small copy of a stored image, which opens without credentials and only as that copy', async () => {
    const { default: sharp } = await import('sharp');
    const original = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    const { response: stored } = await service.upload(new Uint8Array(original), 'red.png', { type: 'image/png' });
    const route = createTokenRoute(createMinter(), {
      authorize: () => null,
      preview: async ({ ids }) => {
        const files = await Promise.all(ids.map((id) => createMinter().fileById(id)));
        return files.flatMap((file) => (file?.path === stored.path ? [file.id] : []));
      },
    });
    const request = new Request('http://site.example/upload-token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'preview', ids: [stored.id, 'unknown'] }),
    });
    const { previews } = (await (await route(request)).json()) as { previews: { id: string; url: string }[] };
    expect(previews.map(({ id }) => id)).toEqual([stored.id]);
    const image = await fetch(previews[0]!.url);
    expect(image.status).toBe(200);
    expect(image.headers.get('access-control-allow-origin')).toBe('*');
    expect(await sharp(await image.arrayBuffer()).metadata()).toMatchObject({ width: 80, height: 80 });
    const withoutSize = new URL(previews[0]!.url);
    for (const name of ['w', 'h', 'fit', 'format', 'q']) withoutSize.searchParams.delete(name);
    expect((await fetch(withoutSize)).status).toBe(404);
  });

  it('passes on the errors of the service about API keys', async () => {
    const reader = createTokenMinter({ apiKey: (await service.newKey(['blob:read'])).secret, url: service.url });
    await expect(reader.mint({ prefix: 'inbox' })).rejects.toMatchObject({
      code: 'API_KEY_SCOPE_DENIED',
      status: 403,
      details: { required: 'blob:write' },
    });
    const stranger = createTokenMinter({ apiKey: 'svc_live_unknown', url: service.url });
    await expect(stranger.mint({ prefix: 'inbox' })).rejects.toMatchObject({ code: 'API_KEY_INVALID', status: 401 });
  });
});

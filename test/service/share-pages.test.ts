import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accentRules, contrast } from '../../server/service/rest/pages/share/accent.js';
import { insertFiles } from './insert-files.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

interface Share {
  id: string;
  url: string;
  downloads: number;
}

const share = async (body: object): Promise<Share> => (await service.call<Share>('POST', '/v1/shares', { body })).response;
/** Opens an address as a browser does. */
const visit = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers: { Accept: 'text/html,*/*;q=0.8', ...headers }, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const downloadsOf = async ({ id }: Share) => (await service.call<Share>('GET', `/v1/shares/${id}`)).response.downloads;

describe('the page of a shared folder', () => {
  it('has its address with a slash, and keeps the query of an address without it', async () => {
    const { id } = await share({ prefix: 'pages/slash' });
    const { status, headers } = await visit(`${service.url}/s/${id}?zip=1&sort=%2Dsize`);
    expect([status, headers.get('location')]).toEqual([302, `/s/${id}/?zip=1&sort=%2Dsize`]);
    expect((await visit(`${service.url}/s/${id}`)).headers.get('location')).toBe(`/s/${id}/`);
  });

  it('lists files with sizes, and sorts them by links', async () => {
    for (const [name, size] of [
      ['a.txt', 20],
      ['b.txt', 3000],
      ['c.txt', 100],
    ] as const)
      await service.put(`pages/sorted/${name}`, 'x'.repeat(size));
    const { url } = await share({ prefix: 'pages/sorted', title: 'Müller & <Sons>', accent: '#ffee00' });
    const orderOf = (text: string) => [...text.matchAll(/href="\.\/(\w)\.txt"/g)].map(([, name]) => name).join('');

    const page = await visit(url);

    expect(page.text).toContain('<h1>Müller &amp; &lt;Sons&gt;</h1>');
    expect(page.text).toContain('3 kB');
    expect(page.text).toContain('href="?zip=1"');
    expect(orderOf(page.text)).toBe('abc');
    expect(orderOf((await visit(`${url}?sort=size`)).text)).toBe('acb');
    expect(orderOf((await visit(`${url}?sort=-size`)).text)).toBe('bca');
    expect((await visit(`${url}?sort=owner`)).status).toBe(400);
    expect(page.headers.get('content-security-policy')).not.toContain('script-src');
  });

  it('is sorted across its pages, folders first', async () => {
    await insertFiles(service.service.core, { prefix: 'pages/many/', count: 1003 });
    for (const name of ['first', 'second']) await service.put(`pages/many/${name}/x.txt`, 'x');
    const { url } = await share({ prefix: 'pages/many' });
    const entries = async (address: string): Promise<string[]> => {
      const { text } = await visit(address);
      const next = /href="(\?sort=[^"]*cursor=[^"]*)"/.exec(text)?.[1]?.replace('&amp;', '&');
      const listed = [...text.matchAll(/<td>\s*<a href="\.\/([^"]+)"/g)].map(([, name]) => name!);
      return next === undefined ? listed : [...listed, ...(await entries(new URL(next, url).href))];
    };
    const files = Array.from({ length: 1003 }, (_, n) => `${n + 1}`.padStart(7, '0'));

    expect(await entries(`${url}?sort=size`)).toEqual(['first/', 'second/', ...files]);
    expect(await entries(`${url}?sort=-size`)).toEqual(['first/', 'second/', ...files.toReversed()]);
    expect(await entries(`${url}?sort=-date`)).toEqual(['first/', 'second/', ...files.toReversed()]);
    expect(await entries(`${url}?sort=-name`)).toEqual(['second/', 'first/', ...files.toReversed()]);
    expect((await entries(`${url}?sort=name`)).toSorted()).toEqual([...files, 'first/', 'second/']);
  });

  it('is listed by name if it has too many files for another order, and says so', async () => {
    await insertFiles(service.service.core, { prefix: 'pages/large/', count: 5001 });
    const { url } = await share({ prefix: 'pages/large' });
    const notice = 'too many files for this order';

    const { text } = await visit(`${url}?sort=-size`);
    expect(text).toContain(notice);
    expect(text.indexOf('0000001')).toBeLessThan(text.indexOf('0000002'));
    expect((await visit(`${url}?sort=-name`)).text).not.toContain(notice);
  });

  it.each(['x', '[]', '["file"]', '["file","a","b"]', '["folder","a",1]', '["file","\\u0000",1]', '["file","a",1,1]'])(
    'refuses the cursor %s, which it did not give',
    async (text) => {
      const { url } = await share({ prefix: 'pages/sorted' });
      const cursor = Buffer.from(text).toString('base64url');

      expect((await visit(`${url}?sort=size&cursor=${cursor}`)).status).toBe(400);
    },
  );

  it('names the folders above a subfolder with links inside the share', async () => {
    await service.put('pages/deep/one/two/x.txt', 'x');
    const { url } = await share({ prefix: 'pages/deep' });

    const { text } = await visit(`${url}one/two/`);

    expect([...text.matchAll(/<li><a href="([^"]+)">([^<]+)</g)].map(([, href, name]) => [href, name])).toEqual([
      ['../../', 'deep'],
      ['../', 'one'],
    ]);
    expect(text).not.toContain('pages/');
  });

  it('is in the language of the browser', async () => {
    const { url } = await share({ prefix: 'pages/none' });

    expect((await visit(url, { 'Accept-Language': 'pt' })).text).toContain('Esta pasta está vazia.');
    expect((await visit(url, { 'Accept-Language': 'es-MX' })).text).toContain('Esta carpeta está vacía.');
  });
});

describe('the page of a shared file', () => {
  it('shows the start of a text, never as markup', async () => {
    await service.put('pages/evil.html', '<script>alert(1)</script>', { headers: { 'Content-Type': 'text/html' } });
    const evil = await share({ path: 'pages/evil.html' });

    const { text } = await visit(evil.url);

    expect(text).toContain('<pre tabindex="0">&lt;script&gt;alert(1)&lt;/script&gt;</pre>');
    expect(text).not.toContain('<script>');
    const raw = await visit(`${evil.url}?raw=1`);
    expect(raw.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(raw.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  });

  it('does not count a download that fails before its first byte', async () => {
    await service.put('pages/broken.png', 'no picture', { headers: { 'Content-Type': 'image/png' } });
    const limited = await share({ path: 'pages/broken.png', max_downloads: 1 });

    expect((await fetch(`${limited.url}?w=320&h=320`)).status).toBe(415);
    expect((await fetch(limited.url, { headers: { 'If-Match': '"other"' } })).status).toBe(412);
    expect(await downloadsOf(limited)).toBe(0);
    expect(await (await fetch(limited.url)).text()).toBe('no picture');
    expect(await downloadsOf(limited)).toBe(1);
  });

  it('loads a picture without counting a download, and counts its download', async () => {
    await service.put('pages/p.png', 'png', { headers: { 'Content-Type': 'image/png' } });
    const picture = await share({ path: 'pages/p.png' });

    const page = await visit(picture.url);

    expect(page.text).toContain('<img src="?raw=1"');
    expect(page.headers.get('content-security-policy')).toContain("img-src 'self'");
    expect((await visit(`${picture.url}?raw=1`)).text).toBe('png');
    expect(await downloadsOf(picture)).toBe(0);
    expect((await visit(`${picture.url}?download=1`)).headers.get('content-disposition')).toMatch(/^attachment/);
    expect(await downloadsOf(picture)).toBe(1);
  });

  it('has no preview if downloads are limited, and says when they are used up', async () => {
    await service.put('pages/few.txt', 'secret');
    const few = await share({ path: 'pages/few.txt', max_downloads: 1 });

    const page = await visit(few.url);

    expect(page.text).toContain('One download is left.');
    expect(page.text).not.toContain('secret');
    expect((await visit(`${few.url}?raw=1`)).text).toBe('secret');
    const ended = await visit(few.url);
    expect([ended.status, ended.text]).toEqual([404, expect.stringContaining('This link has been used up')]);
    expect(await (await fetch(few.url)).json()).toEqual({ code: 'NOT_FOUND', message: 'There is no such share.' });
  });
});

describe('the archive of a shared folder', () => {
  it('counts as one download, and ends the share with the last one', async () => {
    await service.put('pages/zip/1.txt', 'one');
    await service.put('pages/zip/2.txt', 'two');
    const once = await share({ prefix: 'pages/zip', title: 'Holiday', max_downloads: 1 });

    const first = await visit(`${once.url}?zip=1`);
    const second = await visit(`${once.url}?zip=1`);

    expect([first.status, first.headers.get('content-type'), second.status]).toEqual([200, 'application/zip', 404]);
    expect(first.headers.get('content-disposition')).toContain('Holiday.zip');
    expect(await downloadsOf(once)).toBe(1);
  });
});

describe('the password form of a share', () => {
  const submit = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { Origin: new URL(service.url).origin, ...headers },
      body: new URLSearchParams(fields),
    });

  it('sets a cookie that opens this share only, until the password changes', async () => {
    await service.put('pages/locked/a.txt', 'in');
    const locked = await share({ prefix: 'pages/locked', password: 'right' });
    const other = await share({ prefix: 'pages/locked', password: 'right' });
    const form = await visit(`${locked.url}a.txt`);
    expect([form.status, form.headers.get('www-authenticate')]).toEqual([401, null]);
    expect(form.text).toContain(`action="/s/${locked.id}"`);

    const response = await submit(`${service.url}/s/${locked.id}`, { password: 'right', next: `/s/${locked.id}/a.txt?raw=1` });

    expect([response.status, response.headers.get('location')]).toEqual([303, `/s/${locked.id}/a.txt?raw=1`]);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(new RegExp(`^svc_share=[\\w-]{43}; Path=/s/${locked.id}; HttpOnly; SameSite=Lax$`));
    const headers = { Cookie: cookie!.split(';')[0]! };
    expect((await visit(`${locked.url}a.txt?raw=1`, headers)).text).toBe('in');
    expect((await visit(other.url, headers)).status).toBe(401);
    await service.call('PATCH', `/v1/shares/${locked.id}`, { body: { password: 'right' } });
    expect((await visit(locked.url, headers)).status).toBe(401);
  });

  it('refuses wrong passwords, forms of other sites, and addresses outside of the share', async () => {
    await service.put('pages/guarded.txt', 'in');
    const { url } = await share({ path: 'pages/guarded.txt', password: 'right' });

    const wrong = await submit(url, { password: 'wrong', next: '' });
    expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringContaining('The password isn’t correct.')]);
    const foreign = await submit(url, { password: 'right' }, { Origin: 'https://evil.example' });
    expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([403, []]);
    const away = await submit(url, { password: 'right', next: '//evil.example' });
    expect(away.headers.get('location')).toBe(new URL(url).pathname);
    const guesses = await Promise.all(Array.from({ length: 12 }, (_, n) => submit(url, { password: `guess ${n}` })));
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  });
});

describe('errors of shares', () => {
  it('are pages for browsers and JSON for programs', async () => {
    const url = `${service.url}/s/share_${'a'.repeat(26)}`;

    const page = await visit(url);

    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('This link doesn’t work');
    expect(await (await fetch(url)).json()).toEqual({ code: 'NOT_FOUND', message: 'There is no such share.' });
  });

  it('tell that a share has expired and that a file is missing', async () => {
    await service.put('pages/brief/a.txt', 'x');
    const brief = await share({ prefix: 'pages/brief', expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await visit(`${brief.url}b.txt`)).text).toContain('This file is not here');
    await service.advanceClock(3_601_000);
    try {
      expect((await visit(brief.url)).text).toContain('This link has expired');
    } finally {
      await service.advanceClock(0);
    }
  });
});

describe('title and accent of a share', () => {
  it.each([
    [{ title: ' ' }, 'title'],
    [{ title: 'a\u202eb' }, 'title'],
    [{ title: 'x'.repeat(101) }, 'title'],
    [{ accent: 'red' }, 'accent'],
    [{ accent: '#fff;}' }, 'accent'],
  ])('are validated: %j', async (fields, path) => {
    const { status, error } = await service.call('POST', '/v1/shares', { body: { path: 'a', ...fields } });
    expect([status, error.path]).toEqual([400, path]);
  });

  it.each(['#ffee00', '#000000', '#ffffff', '#2f54eb', '#808080'])('keep texts readable: %s', (accent) => {
    const rules = accentRules(accent);
    const colors = [...rules.matchAll(/--accent:(#[0-9a-f]{6});.*?--on-accent:(#[0-9a-f]{6})/g)];
    expect(colors).toHaveLength(2);
    for (const [index, [, color, text]] of colors.entries()) {
      expect(contrast(color!, index === 0 ? '#ffffff' : '#181b24')).toBeGreaterThanOrEqual(4.5);
      expect(contrast(color!, text!)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

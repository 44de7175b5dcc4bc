import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../support/ports.js';
import { TestService } from '../service/support.js';

/** Runs the code of docs/start/first-upload.md unchanged. It imports the built package. */
describe.skipIf(!existsSync('dist/server.js'))('the site of docs/start/first-upload.md', () => {
  let service: TestService;
  let site: ChildProcess;
  let origin: string;

  beforeAll(async () => {
    service = await TestService.start();
    const text = await readFile('docs/start/first-upload.md', 'utf8');
    const code = /```js\n(\/\/ site\.mjs[^]*?)```/.exec(text)![1]!;
    const [port] = await freePorts(1);
    const env = { PATH: process.env['PATH'], SVC_API_KEY: service.key, SVC_BLOB_URL: service.url, PORT: String(port) };
    site = spawn(process.execPath, ['--input-type=module'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    site.stdin!.end(code);
    for await (const output of site.stdout!) {
      origin = /http:\S+/.exec(String(output))![0];
      break;
    }
  });
  afterAll(async () => {
    site?.kill();
    await service?.stop();
  });

  async function visitSite(): Promise<string> {
    const page = await fetch(origin);
    expect(await page.text()).toContain('<svc-uploader name="cv"');
    return page.headers.get('set-cookie')!.split(';')[0]!;
  }

  async function uploadFile(cookie: string): Promise<string> {
    const response = await fetch(`${origin}/upload-token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ files: [{ name: 'cv.pdf', size: 9, type: 'application/pdf' }], reason: 'start' }),
    });
    const { token, url } = (await response.json()) as { token: string; url: string };
    const form = new FormData();
    form.append('file', new Blob(['%PDF-1.4\n']), 'cv.pdf');
    const stored = await fetch(`${url}/v1/files`, { method: 'POST', body: form, headers: { authorization: `Bearer ${token}` } });
    const { response: file } = (await stored.json()) as { response: { path: string; expires_at: string } };
    expect(Date.parse(file.expires_at)).toBeGreaterThan(Date.now());
    return file.path;
  }

  const submitForm = (cookie: string, cv: string) =>
    fetch(`${origin}/apply`, { method: 'POST', headers: { cookie }, body: new URLSearchParams({ cv }) });

  it('mints a token, accepts the form and keeps the file', async () => {
    const cookie = await visitSite();
    const path = await uploadFile(cookie);
    const response = await submitForm(cookie, path);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Thank you: 9 bytes')]);
    const kept = await fetch(`${service.url}/v1/files?prefix=applications`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const { response: list } = (await kept.json()) as { response: { files: { path: string; expires_at: string | null }[] } };
    expect(list.files).toMatchObject([{ path: expect.stringMatching(/^applications\/[\w-]{36}\/cv-/), expires_at: null }]);
  });

  it('refuses a file of another visitor and a missing file', async () => {
    const path = await uploadFile(await visitSite());
    const other = await visitSite();
    expect((await submitForm(other, path)).status).toBe(400);
    expect((await submitForm(other, '')).status).toBe(400);
    expect((await submitForm('', path)).status).toBe(400);
  });

  it('mints no token without a session', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"files":[{"name":"a","size":1}]}' };
    expect((await fetch(`${origin}/upload-token`, init)).status).toBe(403);
  });
});

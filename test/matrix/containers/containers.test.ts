import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchChromium, openWatchedPage } from '../../e2e/chromium-page.js';
import { freePorts } from '../../support/ports.js';
import { compose, createBaseImage, docker, hasEngine } from './engine.js';

const BASE = 'svc-uploader-test-base';
const IMAGE = 'svc-blob-test';
const RESTRICTED = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

/** Output of `s3-credentials create --json`. */
interface PairRecord {
  access_key_id: string;
  secret_access_key: string;
}

/** Output of `users create --json`. */
interface UserRecord {
  password: string;
}

describe.skipIf(!hasEngine())('containers', { timeout: 1_200_000 }, () => {
  beforeAll(async () => {
    await createBaseImage(BASE);
    await docker(['build', '--network', 'host', '--build-arg', `NODE_IMAGE=${BASE}`, '-t', IMAGE, '.'], { DOCKER_BUILDKIT: '0' });
  }, 1_200_000);

  const createKey = async (exec: (args: string[]) => Promise<string>): Promise<string> =>
    (
      JSON.parse(await exec(['svc-blob', 'keys', 'create', '--name', 'test', '--preset', 'full', '--json'])) as {
        api_key: string;
      }
    ).api_key;

  const send = (url: string, key: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { Authorization: `Bearer ${key}` } });

  describe('the image', () => {
    const [name, volume] = [`svc-${process.pid}`, `svc-data-${process.pid}`];
    afterAll(async () => {
      await docker(['rm', '-f', name]).catch(() => '');
      await docker(['volume', 'rm', '-f', volume]);
    });

    it('serves as an ordinary user, writes only its data, and keeps it over a new container', async () => {
      const [port] = await freePorts(1);
      const url = `http://127.0.0.1:${port}`;
      const start = () =>
        docker(['run', '-d', '--name', name, ...RESTRICTED, '-p', `127.0.0.1:${port}:8080`, '-v', `${volume}:/data`, IMAGE]);
      const inside = (args: string[]) => docker(['exec', name, ...args]);
      const health = () => docker(['inspect', '-f', '{{.State.Health.Status}}', name]);
      await start();
      await expect.poll(health, { timeout: 120_000 }).toBe('healthy');
      expect(await inside(['id', '-u'])).toBe('1000');
      expect(await inside(['sh', '-c', 'touch /app/x 2>/dev/null || echo refused'])).toBe('refused');

      const key = await createKey(inside);
      const bytes = randomBytes(100_000);
      expect((await send(`${url}/v1/files/a.bin`, key, { method: 'PUT', body: bytes })).status).toBe(201);
      const picture = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
      const stored = await send(`${url}/v1/files/red.png`, key, { method: 'PUT', body: new Uint8Array(picture) });
      const { response: image } = (await stored.json()) as { response: { id: string } };
      const resized = await send(`${url}/v1/files/${image.id}/content?w=10&format=webp`, key);
      expect([resized.status, resized.headers.get('content-type')]).toEqual([200, 'image/webp']);
      await docker(['stop', '--time', '30', name]);
      expect(await docker(['inspect', '-f', '{{.State.ExitCode}}', name])).toBe('0');
      await docker(['rm', name]);
      await start();
      await expect.poll(health, { timeout: 120_000 }).toBe('healthy');
      const { response } = (await (await send(`${url}/v1/files`, key)).json()) as { response: { files: { id: string }[] } };
      const read = await send(`${url}/v1/files/${response.files[0]!.id}/content`, key);
      expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
    });
  });

  describe('compose.yaml', () => {
    const env: NodeJS.ProcessEnv = {
      COMPOSE_PROJECT_NAME: `svc${process.pid}`,
      COMPOSE_FILE: 'compose.yaml:test/matrix/containers/compose.test.yaml',
      BLOB_IMAGE: IMAGE,
      STORE_IMAGE: IMAGE,
      PROXY_IMAGE: BASE,
      DATABASE_IMAGE: BASE,
      POSTGRES_PASSWORD: 'test',
      STORE_ACCESS_KEY: 'unknown',
      STORE_SECRET_KEY: 'unknown',
    };
    const run = (...args: string[]) => compose(args, env);
    let url: string;
    beforeAll(async () => {
      const [port, s3Port] = await freePorts(2);
      url = `http://127.0.0.1:${port}`;
      Object.assign(env, { PORT: String(port), S3_PORT: String(s3Port), PUBLIC_URL: url });
      await run('up', '-d', 'store');
      const onStore = (args: string[], key = '') => run('exec', '-T', '-e', `SVC_API_KEY=${key}`, 'store', ...args);
      const storeKey = await vi.waitFor(() => createKey(onStore), { timeout: 120_000, interval: 1000 });
      const createPair = ['svc-blob', 's3-credentials', 'create', '--json', '--url', 'http://127.0.0.1:8080'];
      const pair = JSON.parse(await onStore(createPair, storeKey)) as PairRecord;
      Object.assign(env, { STORE_ACCESS_KEY: pair.access_key_id, STORE_SECRET_KEY: pair.secret_access_key });
      await run('up', '-d');
      const assertReady = async () => expect((await fetch(`${url}/readyz`)).status).toBe(200);
      await vi.waitFor(assertReady, { timeout: 180_000, interval: 1000 });
    }, 600_000);
    afterAll(() => compose(['down', '-v', '--timeout', '5'], env));
    const onReplica = (args: string[]) => run('exec', '-T', 'replica-1', ...args);

    it('shows the console through the proxy to a person who signs in and uploads a file', async () => {
      const email = 'ana@example.org';
      const createUser = ['svc-blob', 'users', 'create', '--email', email, '--name', 'Ana', '--admin', '--json'];
      const { password } = JSON.parse(await onReplica(createUser)) as UserRecord;
      const browser = await launchChromium();
      try {
        const { page, consoleErrors, requests } = await openWatchedPage(await browser.newContext());
        await page.goto(`${url}/console`);
        await page.getByLabel('Email').fill(email);
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('button', { name: 'Upload' }).click();
        const chooser = page.waitForEvent('filechooser');
        await page.getByRole('menuitem', { name: 'Files' }).click();
        await (await chooser).setFiles([{ name: 'from-a-browser.txt', mimeType: 'text/plain', buffer: Buffer.from('uploaded') }]);
        const row = page.getByRole('row', { name: /from-a-browser\.txt/ });
        await row.waitFor();
        await page.reload();
        await row.waitFor();
        expect(consoleErrors).toEqual([]);
        expect(requests.filter((request) => !request.includes(url))).toEqual([]);
      } finally {
        await browser.close();
      }
    });

    it('serves with two replicas while one is killed', async () => {
      const key = await createKey(onReplica);
      const put = (name: string) => send(`${url}/v1/files/many/${name}`, key, { method: 'PUT', body: name });
      expect((await put('first')).status).toBe(201);
      await run('kill', 'replica-1');
      for (const name of ['second', 'third']) expect((await put(name)).status).toBe(201);
      const listed = await send(`${url}/v1/files?prefix=many/`, key);
      const { response } = (await listed.json()) as { response: { files: { path: string }[] } };
      expect(response.files.map(({ path }) => path)).toEqual(['many/first', 'many/second', 'many/third']);
      expect((await fetch(`${url}/metrics`)).status).toBe(404);
    });
  });
});

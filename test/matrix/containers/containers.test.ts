import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    afterAll(() => compose(['down', '-v', '--timeout', '5'], env));
    const run = (...args: string[]) => compose(args, env);

    it('starts two replicas behind a proxy, which serve while one is killed', async () => {
      const [port, s3Port] = await freePorts(2);
      Object.assign(env, { PORT: String(port), S3_PORT: String(s3Port) });
      await run('up', '-d', 'store');
      const onStore = (args: string[], key = '') => run('exec', '-T', '-e', `SVC_API_KEY=${key}`, 'store', ...args);
      await expect.poll(() => createKey(onStore).catch(() => ''), { timeout: 120_000 }).not.toBe('');
      const createPair = ['svc-blob', 's3-credentials', 'create', '--json', '--url', 'http://127.0.0.1:8080'];
      const pair = JSON.parse(await onStore(createPair, await createKey(onStore))) as PairRecord;
      Object.assign(env, { STORE_ACCESS_KEY: pair.access_key_id, STORE_SECRET_KEY: pair.secret_access_key });
      await run('up', '-d');

      const url = `http://127.0.0.1:${port}`;
      const isReady = () => fetch(`${url}/readyz`).then((response) => response.status, String);
      await expect.poll(isReady, { timeout: 180_000 }).toBe(200);
      const key = await createKey((args) => run('exec', '-T', 'replica-1', ...args));
      const put = (name: string) => send(`${url}/v1/files/${name}`, key, { method: 'PUT', body: name });
      expect((await put('first')).status).toBe(201);
      await run('kill', 'replica-1');
      for (const name of ['second', 'third']) expect((await put(name)).status).toBe(201);
      const { response } = (await (await send(`${url}/v1/files`, key)).json()) as { response: { files: { path: string }[] } };
      expect(response.files.map(({ path }) => path)).toEqual(['first', 'second', 'third']);
      expect((await fetch(`${url}/metrics`)).status).toBe(404);
    });
  });
});

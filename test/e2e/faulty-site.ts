import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { serveAsset } from '../../demo/backend/assets.js';
import { createTokenMinter, createTokenRoute } from '../../server/helper/index.js';
import type { UploadTokenOptions, UploadTokenRecord, FileRecord } from '../../src/protocol/types.js';
import { build } from '../../scripts/build.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import { ensureDemoKey } from '../support/demo-key.js';
import { freePorts } from '../support/ports.js';
import { startService } from '../support/start-service.js';

/** The real service, a page with the built element, and a fault proxy between them. */
export interface FaultySite {
  /** Address of the page. Its query becomes attributes of the element. */
  page: string;
  proxy: FaultProxy;
  /** Sets the options of later tokens. The prefix is added. */
  setTokenOptions(options: Omit<UploadTokenOptions, 'path' | 'prefix'>): void;
  /** Starts a new folder for tokens and files, and resets the options. @returns its prefix */
  startFolder(): string;
  listFiles(): Promise<FileRecord[]>;
  /** Lists every token of the current folder. */
  listTokens(): Promise<UploadTokenRecord[]>;
  revokeToken(id: string): Promise<void>;
  /** Puts the clock of the service 61 seconds forward, so that tokens of one minute expire. The clock of the page stays. */
  expireTokens(): void;
  close(): Promise<void>;
}

const escapeHtml = (text: string) => text.replace(/[&"<]/g, (one) => `&#${one.charCodeAt(0)};`);

/** @param attributes of the element; '' for those without a value */
function renderPage(attributes: Record<string, string>): string {
  const all = { name: 'files', multiple: '', 'allow-empty': '', 'token-endpoint': '/upload-token', ...attributes };
  const written = Object.entries(all).map(([name, value]) => `${escapeHtml(name)}="${escapeHtml(value)}"`);
  // Many sites add a version to the address of a script. Chunks that it loads later refer to the address without it.
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Faulty site</title><script type="module" src="/svc-uploader.js?v=1"></script>
<style>:root { color-scheme: light dark; font-family: sans-serif }</style>
<main><form><svc-uploader ${written.join(' ')}></svc-uploader></form></main>`;
}

/** @param settings environment variables of the service */
export async function startFaultySite(settings: Record<string, string> = {}): Promise<FaultySite> {
  await build({ ifStale: true });
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-faulty-'));
  const [port, s3Port] = await freePorts(2);
  const clock = `--import=${new URL('../support/steppable-clock.mjs', import.meta.url).href}`;
  const env = { ...process.env, ...settings, NODE_OPTIONS: clock };
  const service = await startService({ host: '127.0.0.1', port: port!, s3Port: s3Port!, dataDir, env });
  const url = `http://127.0.0.1:${port}`;
  const { apiKey } = await ensureDemoKey(url, dataDir, process.env);
  const proxy = await startFaultProxy(url);
  let folder = 0;
  let options: Omit<UploadTokenOptions, 'path' | 'prefix'> = {};

  const minter = createTokenMinter({ apiKey, url, publicUrl: proxy.url });
  const route = createTokenRoute(minter, { authorize: () => ({ prefix: `f${folder}`, ...options }) });
  const app = new Hono()
    .post('/upload-token', (c) => route(c.req.raw))
    .get('/', (c) => c.html(renderPage(c.req.query())))
    .get('/*', (c) => serveAsset(c.req.path, resolve('dist')));
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server;
  if (!server.listening) await once(server, 'listening');

  async function ask<T>(path: string, method = 'GET'): Promise<T> {
    const response = await fetch(url + path, { method, headers: { authorization: `Bearer ${apiKey}` } });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { response: T }).response;
  }

  return {
    page: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    proxy,
    setTokenOptions: (wanted) => void (options = wanted),
    startFolder() {
      options = {};
      return `f${++folder}/`;
    },
    listFiles: async () => (await ask<{ files: FileRecord[] }>(`/v1/files?limit=1000&prefix=f${folder}/`)).files,
    async listTokens() {
      const listed = await ask<UploadTokenRecord[] | { upload_tokens: UploadTokenRecord[] }>('/v1/upload-tokens?limit=1000');
      const all = Array.isArray(listed) ? listed : listed.upload_tokens;
      return all.filter(({ prefix }) => prefix?.replace(/\/$/, '') === `f${folder}`);
    },
    revokeToken: async (id) => void (await ask(`/v1/upload-tokens/${id}`, 'DELETE')),
    expireTokens: () => void process.kill(service.pid, 'SIGUSR2'),
    async close() {
      server.closeAllConnections();
      server.close();
      await proxy.close();
      await service.stop();
      if (process.env['KEEP_LOG']) console.log(await readFile(service.log, 'utf8'));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

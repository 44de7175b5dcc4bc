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
import { build } from '../setup/build.js';
import { startFaultProxy } from '../setup/fault-proxy.js';
import type { FaultProxy } from '../setup/fault-proxy.js';
import { readyKey } from '../setup/key.js';
import { freePorts } from '../setup/ports.js';
import { startService } from '../setup/service.js';

/** The real service, a page with the built element, and between them a line that tests break. */
export interface BadLine {
  /** The page's address. */
  page: string;
  line: FaultProxy;
  /** What the token route gives from now on; the prefix is added. */
  grant(options: UploadTokenOptions): void;
  /** The folder that this page's tokens are for; a new one at each call of `fresh`. */
  fresh(): string;
  files(): Promise<FileRecord[]>;
  /** Every token minted for the present folder. */
  tokens(): Promise<UploadTokenRecord[]>;
  revoke(id: string): Promise<void>;
  close(): Promise<void>;
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>Bad line</title>
<script type="module" src="/svc-uploader.js"></script>
<form><svc-uploader name="files" multiple allow-empty token-endpoint="/upload-token"></svc-uploader></form>`;

export async function startBadLine(): Promise<BadLine> {
  await build({ ifStale: true });
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-line-'));
  const [port, s3Port] = await freePorts(2);
  const service = await startService({ host: '127.0.0.1', port: port!, s3Port: s3Port!, dataDir });
  const url = `http://127.0.0.1:${port}`;
  const { apiKey } = await readyKey(url, dataDir, process.env);
  const line = await startFaultProxy(url);
  let folder = 0;
  let options: UploadTokenOptions = {};

  const minter = createTokenMinter({ apiKey, url, publicUrl: line.url });
  const route = createTokenRoute(minter, { authorize: () => ({ prefix: `f${folder}`, ...options }) });
  const app = new Hono()
    .post('/upload-token', (c) => route(c.req.raw))
    .get('/', (c) => c.html(PAGE))
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
    line,
    grant: (wanted) => void (options = wanted),
    fresh() {
      options = {};
      return `f${++folder}/`;
    },
    files: async () => (await ask<{ files: FileRecord[] }>(`/v1/files?limit=1000&prefix=f${folder}/`)).files,
    async tokens() {
      const listed = await ask<UploadTokenRecord[] | { upload_tokens: UploadTokenRecord[] }>('/v1/upload-tokens?limit=1000');
      const all = Array.isArray(listed) ? listed : listed.upload_tokens;
      return all.filter(({ prefix }) => prefix?.replace(/\/$/, '') === `f${folder}`);
    },
    revoke: async (id) => void (await ask(`/v1/upload-tokens/${id}`, 'DELETE')),
    async close() {
      server.closeAllConnections();
      server.close();
      await line.close();
      await service.stop();
      if (process.env['KEEP_LOG']) console.log(await readFile(service.log, 'utf8'));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

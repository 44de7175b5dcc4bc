import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { addSampleFiles } from '../../../demo/backend/sample-files.js';
import { encodePng } from '../../../demo/backend/sample-media.js';
import type { BlobService } from '../../../server/service/index.js';
import { createPeople } from './people.js';
import type { Client } from './people.js';
import type { Person } from './scene.js';

const DAY_MS = 86_400_000;

/** A service with some of everything that the console shows. */
export interface SampleStorage {
  people: Record<Person, Client>;
  /** Replaces `WORKSPACE` and `WEBHOOK` in the address of a scene. */
  fill(path: string): string;
  close(): void;
}

export async function fillStorage(service: BlobService, url: string): Promise<SampleStorage> {
  const people = await createPeople(service, url);
  const { owner, reader, crowded } = people;
  const key = await service.core.keys.create(owner.accountId, { name: 'Sample files', scopes: ['blob:read', 'blob:write'] });
  await addSampleFiles({ url, apiKey: key.secret });
  const receiver = await startReceiver();
  const webhook = await shareFiles(owner, receiver.url);
  await createCredentials(service, owner);
  const workspace = await createWorkspace(owner, reader);
  await fillCrowded(crowded);
  await addHistory(service, owner);
  return {
    people,
    fill: (path) => path.replaceAll('WORKSPACE', workspace).replaceAll('WEBHOOK', webhook),
    close: receiver.close,
  };
}

/** Receives webhooks, and refuses those to `/full`. */
async function startReceiver(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => response.writeHead(request.url === '/full' ? 500 : 204).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

/** Creates shares, rules, domains and webhooks. @returns the id of the webhook with deliveries */
async function shareFiles(owner: Client, receiver: string): Promise<string> {
  const post = (path: string, body: object) => owner.call<{ id: string }>('POST', path, body);
  await post('/v1/shares', { prefix: 'Photos', title: 'Photos of the summer', max_downloads: 50, expires_at: inDays(30) });
  await post('/v1/shares', { path: 'Documents/Agreement.pdf', password: 'violet anchor', expires_at: inDays(7) });
  await post('/v1/shares', {
    prefix: 'Inbox',
    mode: 'upload',
    max_files: 20,
    allowed_extensions: ['pdf', 'jpg'],
    max_size: 10_000_000,
  });
  await post('/v1/rules', {
    prefix: 'Photos',
    visibility: 'public',
    allowed_extensions: ['jpg', 'png', 'webp'],
    image_sizes: ['400x', '1600x'],
  });
  await post('/v1/rules', { prefix: 'Inbox', max_size: 25_000_000, expires_after: 30 * 86_400 });
  await post('/v1/domains', { host: 'files.example.org', prefix: 'Photos' });
  await post('/v1/domains', { host: 'downloads.example.com', prefix: '' });
  const { id } = await post('/v1/webhooks', {
    url: `${receiver}/events`,
    events: ['file.created', 'file.deleted'],
    description: 'Search index',
  });
  await post('/v1/webhooks', { url: `${receiver}/full`, events: ['file.created'], prefix: 'Inbox' });
  await owner.put('Inbox/Invoice 2026-11.pdf', '%PDF-1.4', 'application/pdf');
  await owner.put('Inbox/Scan.jpg', encodePng(640, 480, [240, 240, 240], [90, 90, 90]), 'image/jpeg');
  return id;
}

async function createCredentials(service: BlobService, owner: Client): Promise<void> {
  const post = (path: string, body: object) => owner.call<{ id: string }>('POST', path, body);
  await post('/v1/users/me/api-keys', {
    name: 'Backup server',
    scopes: ['blob:read', 'blob:write'],
    allowed_ips: ['203.0.113.0/24'],
  });
  await post('/v1/users/me/api-keys', { name: 'Deployment of the website', scopes: ['blob:read'] });
  await service.core.keys.create(owner.accountId, {
    name: 'oauth:Code Editor',
    scopes: ['blob:read', 'blob:write', 'account:read'],
  });
  await post('/v1/s3-credentials', { name: 'Laptop' });
  await post('/v1/s3-credentials', { name: 'Nightly backup', prefix: 'backups/2026', read_only: true, expires_in: 86_400 });
  await post('/v1/upload-tokens', { prefix: 'Inbox', max_uses: 10, allowed_extensions: ['pdf'], expires_in: 3600 });
  const { id } = await post('/v1/upload-tokens', { path: 'Reports/2026/April.csv', max_uses: 1, expires_in: 900 });
  await owner.call('DELETE', `/v1/upload-tokens/${id}`);
  const { core } = service;
  await core.write((query) =>
    core.sessions.start(query, owner.id, {
      ip: '192.0.2.7',
      userAgent: 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
    }),
  );
  await core.write((query) =>
    core.sessions.start(query, owner.id, {
      ip: '198.51.100.20',
      userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Mobile Safari/604.1',
    }),
  );
}

/** Creates a workspace with members, roles, invites and folders. @returns its id */
async function createWorkspace(owner: Client, reader: Client): Promise<string> {
  const { id } = await owner.call<{ id: string }>('POST', '/v1/workspaces', { name: 'Editorial team' });
  await owner.call('POST', '/v1/workspaces', { name: 'Estúdio de fotografia e produção de vídeo' });
  const path = `/v1/workspaces/${id}`;
  const role = await owner.call<{ id: string }>('POST', `${path}/roles`, {
    name: 'reader',
    permissions: ['blob:read', 'members:read'],
  });
  const invite = (body: object) => owner.call<{ token: string }>('POST', `${path}/invites`, body);
  const { token } = await invite({ role_id: role.id });
  await reader.call('POST', `/v1/workspaces/invites/${token}/accept`);
  await invite({ role_id: role.id, email: 'joana@example.org' });
  await invite({ role_id: role.id, max_uses: 20 });
  await owner.call('POST', `${path}/folders`, { name: 'Campaigns', color: 'blue' });
  await owner.call('POST', `${path}/folders`, { name: 'Archive', color: 'orange' });
  return id;
}

/** Stores many files, and files and folders with long names. */
async function fillCrowded(crowded: Client): Promise<void> {
  const long =
    'Relatório consolidado de atividades e resultados financeiros do terceiro trimestre de 2026 (versão final revisada)';
  await crowded.put(`${long}.pdf`, 'x'.repeat(2000), 'application/pdf');
  await crowded.put(`${'w'.repeat(150)}.txt`, 'x');
  await crowded.put('مرحبا بالعالم ملف طويل.txt', 'x');
  await crowded.put('会议记录 第三季度 最终版.txt', 'x');
  await crowded.put(`${long}/${'Uma pasta dentro de outra pasta com um nome comprido'}/deep/deeper/notes.txt`, 'x');
  for (let start = 0; start < 240; start += 40)
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => crowded.put(`Many/IMG_${String(start + n).padStart(4, '0')}.txt`, 'x'.repeat(n * 97))),
    );
  await crowded.call('POST', '/v1/webhooks', {
    url: `https://hooks.example.org/${'in/'.repeat(40)}`,
    events: ['file.created', 'file.updated', 'file.deleted', 'file.scanned', 'upload.failed'],
  });
  await crowded.call('POST', '/v1/shares', { prefix: `${'long/'.repeat(30)}a`, password: 'x', title: 'T'.repeat(80) });
  await crowded.call('POST', '/v1/domains', { host: `${'long-name.'.repeat(12)}org` });
  await crowded.call('POST', '/v1/users/me/api-keys', {
    name: 'k'.repeat(40),
    scopes: ['blob:read', 'blob:write', 'account:read', 'account:write'],
  });
}

/** Writes statistics of 29 days, a verified domain, a suspended webhook and a key that is not used. */
async function addHistory({ core }: BlobService, { accountId }: Client): Promise<void> {
  await core.blobs.dailySums.flush();
  const today = Math.floor(Date.now() / DAY_MS);
  await core.write(async (query) => {
    await query.updateTable('api_keys').set({ name: 'oauth:Code Editor' }).where('name', 'like', '%Code Editor').execute();
    await query.updateTable('domains').set({ verified_at: Date.now() }).where('host', '=', 'files.example.org').execute();
    await query
      .updateTable('api_keys')
      .set({ created_at: Date.now() - 91 * DAY_MS })
      .where('name', '=', 'Deployment of the website')
      .execute();
    await query
      .updateTable('webhooks')
      .set({ stopped_at: Date.now(), stop_reason: 'failing', url: 'https://hooks.example.org/full' })
      .where('url', 'like', '%/full')
      .execute();
    await query
      .updateTable('webhooks')
      .set({ url: 'https://search.example.org/events' })
      .where('url', 'like', '%/events')
      .execute();
    for (let n = 1; n < 30; n++)
      await query
        .insertInto('daily_sums')
        .values({
          account_id: accountId,
          day: today - n,
          requests: 1000 + Math.round(400 * Math.sin(n)) + (30 - n) * 20,
          errors: n % 7,
          bytes_in: 1_000_000 * (n % 9),
          bytes_out: 12_000_000 - 300_000 * n,
          uploads: 10 + (n % 5),
          failed_uploads: n === 2 ? 3 : 0,
          files: 13 - Math.floor(n / 4),
          bytes: 37_000 - Math.floor(n / 4) * 2500,
        })
        .execute();
  });
}

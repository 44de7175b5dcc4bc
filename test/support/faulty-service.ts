import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlobService } from '../../server/service/index.js';
import type { BlobService } from '../../server/service/index.js';
import { FIRST_ACCOUNT } from '../../server/service/identity/first-account.js';
import type {
  CreatedUploadToken,
  FileRecord,
  TokenGrant,
  UploadTokenOptions,
  UploadTokenRecord,
} from '../../src/protocol/types.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy, Rule, SeenRequest } from '../../fault-proxy/fault-proxy.js';

// The real service behind a fault proxy, for tests that run in a page. A page opens a session at `/lab` and controls it by JSON. Each
// session has its own folder, tokens and proxy. All sessions share one service, which starts with the first.

/** A rule as a page can send it: without functions, its pattern as text. */
export type PageRule = Omit<Rule, 'path' | 'when' | 'fault'> & { path?: string; fault: Exclude<Rule['fault'], () => unknown> };

export type SessionCommand =
  | { do: 'mint'; options?: UploadTokenOptions }
  | { do: 'revoke'; token: string }
  | { do: 'rule'; rule: PageRule }
  | { do: 'heal' | 'offline' | 'online' | 'files' | 'tokens' | 'requests' | 'close' };

export type RequestSummary = Pick<SeenRequest, 'method' | 'path' | 'requestBytes' | 'status' | 'faulted'>;

interface Session {
  prefix: string;
  proxy: FaultProxy;
  rules: { remove(): void }[];
  /** Ids of the session's tokens by secret. */
  tokens: Map<string, string>;
}

interface Running {
  service: BlobService;
  url: string;
  key: string;
  dataDir: string;
}

let running: Promise<Running> | undefined;
const sessions = new Map<string, Session>();
let sessionCount = 0;

async function startService(): Promise<Running> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-lab-'));
  // Three browsers at once send more requests in a minute than any page does.
  const rateLimits = { route: null, minute: null, day: null };
  const service = await createBlobService({ port: 0, s3Port: false, dataDir, rateLimits });
  const { url } = await service.listen();
  const { secret } = await service.core.keys.create(FIRST_ACCOUNT, { name: 'lab', scopes: ['blob:read', 'blob:write'] });
  return { service, url, key: secret, dataDir };
}

async function callService<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const { url, key } = await (running ??= startService());
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const responseBody = (await response.json()) as { response: T };
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(responseBody)}`);
  return responseBody.response;
}

async function openSession(): Promise<{ id: string; url: string }> {
  const { url } = await (running ??= startService());
  const id = `session-${++sessionCount}`;
  const proxy = await startFaultProxy(url);
  sessions.set(id, { prefix: `lab/${id}`, proxy, rules: [], tokens: new Map() });
  return { id, url: proxy.url };
}

async function listFiles(prefix: string): Promise<FileRecord[]> {
  const all: FileRecord[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: { files: FileRecord[]; cursor: string | null } = await callService(
      `/v1/files?prefix=${encodeURIComponent(`${prefix}/`)}&limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    all.push(...page.files);
    cursor = page.cursor;
  }
  return all;
}

async function runCommand(session: Session, command: SessionCommand): Promise<unknown> {
  switch (command.do) {
    case 'mint': {
      const made = await callService<CreatedUploadToken>('/v1/upload-tokens', 'POST', {
        prefix: session.prefix,
        ...command.options,
      });
      session.tokens.set(made.token, made.id);
      const { token, expires_at, max_uses, max_size, allowed_extensions } = made;
      return { token, url: session.proxy.url, expires_at, max_uses, max_size, allowed_extensions } satisfies TokenGrant;
    }
    case 'revoke':
      return callService(`/v1/upload-tokens/${session.tokens.get(command.token)}`, 'DELETE');
    case 'rule': {
      const { path, ...rule } = command.rule;
      session.rules.push(session.proxy.on({ ...rule, ...(path !== undefined && { path: new RegExp(path) }) }));
      return null;
    }
    case 'heal':
      for (const rule of session.rules.splice(0)) rule.remove();
      return null;
    case 'offline':
    case 'online':
      session.proxy[command.do]();
      return null;
    case 'files':
      return listFiles(session.prefix);
    case 'tokens':
      return Promise.all([...session.tokens.values()].map((id) => callService<UploadTokenRecord>(`/v1/upload-tokens/${id}`)));
    case 'requests':
      return session.proxy.requests.map(({ method, path, requestBytes, status, faulted }) => ({
        method,
        path,
        requestBytes,
        status,
        faulted,
      })) satisfies RequestSummary[];
    case 'close':
      await session.proxy.close();
      return null;
  }
}

/** Handles `POST /lab`, which opens a session, and `POST /lab/{id}`, which sends it a command. */
export async function handleSessionRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const session = sessions.get(request.url!.split('/')[2] ?? '');
    const result = session
      ? await runCommand(session, JSON.parse(Buffer.concat(chunks).toString()) as SessionCommand)
      : await openSession();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result ?? null));
  } catch (error) {
    response.writeHead(500).end(String(error instanceof Error ? error.stack : error));
  }
}

export async function closeSessions(): Promise<void> {
  if (!running) return;
  const { service, dataDir } = await running;
  await Promise.all([...sessions.values()].map(({ proxy }) => proxy.close()));
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApi } from '../../server/service/rest/openapi/openapi.js';
import type { Metadata } from '../../server/service/drivers/metadata/metadata.js';
import { changesOf, isBelow, readMainRows } from './account-rows.js';
import type { AccountRow } from './account-rows.js';
import { rowsForBackend } from './backend.js';
import { openMetadata } from './change-key.js';
import { ROUTES } from './credentials-table.js';
import type { RouteRequest } from './credentials-table.js';
import { createTargets, SECRET } from './credentials-setup.js';
import type { RequestTargets } from './credentials-setup.js';
import { startDns } from './start-dns.js';
import { TestService } from './support.js';

/** These credentials may change nothing on any route. */
const HARMLESS = ['none', 'unknown', 'revoked', 'elsewhere', 'reader'] as const;
const KINDS = [...HARMLESS, 'uploadToken', 'stranger', 'writer'] as const;
type Kind = (typeof KINDS)[number];

let service: TestService;
let dns: Awaited<ReturnType<typeof startDns>>;
let metadata: Metadata;
let credentials: Record<Kind, string | null>;
let paths: OpenApi['paths'];
let targets: RequestTargets;
/** Rows of account `main` after the latest request. */
let rows: AccountRow[];

beforeAll(async () => {
  dns = await startDns(new Map());
  service = await TestService.start({ dnsServers: [dns.address] });
  const { accounts, keys } = service.service.core;
  await accounts.ensure('stranger');
  const stranger = await keys.create('stranger', { name: 'stranger', scopes: ['blob:read', 'blob:write'] });
  const revoked = await service.newKey(['blob:read', 'blob:write']);
  await keys.revoke('main', revoked.id);
  credentials = {
    none: null,
    unknown: `svc_live_${'x'.repeat(43)}`,
    revoked: revoked.secret,
    elsewhere: (await service.newKey(['blob:read', 'blob:write'], ['203.0.113.7'])).secret,
    uploadToken: (await service.mint({ prefix: 'a', max_uses: 100 })).token,
    reader: (await service.newKey(['blob:read'])).secret,
    writer: (await service.newKey(['blob:write'])).secret,
    stranger: stranger.secret,
  };
  ({ paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi);
  metadata = await openMetadata(service.dataDir);
  await renewTargets();
});
afterAll(async () => {
  await metadata.close();
  await service.stop();
  dns.close();
});

async function renewTargets(): Promise<void> {
  targets = await createTargets(service, targets);
  rows = await readMainRows(metadata);
}

/** Compares the rows of account `main` with those before. @param mayAddTo a folder that may have new files. */
async function expectUnchanged(mayAddTo?: string): Promise<void> {
  const { gone, added } = await findChanges();
  const unexpected = added.filter((row) => mayAddTo === undefined || !isBelow(mayAddTo, row));
  expect({ gone, unexpected }).toEqual({ gone: [], unexpected: [] });
}

async function findChanges(): Promise<ReturnType<typeof changesOf>> {
  const before = rows;
  rows = await readMainRows(metadata);
  return changesOf(before, rows);
}

/** The responses of the table and those that every route with access control has in common. */
function expectedResponses(route: string, [uploadToken, reader, writer, stranger]: string[]): Record<Kind, string> {
  const [method, path] = route.split(' ') as [string, string];
  const isOpen = paths[path]?.[method]?.security.length === 0;
  const closed = (response: string) => (isOpen ? uploadToken! : response);
  const responses = {
    none: closed('401 AUTH_TOKEN_MISSING'),
    unknown: closed('401 API_KEY_INVALID'),
    revoked: closed('401 API_KEY_INVALID'),
    elsewhere: closed('403 API_KEY_IP_DENIED'),
    uploadToken: uploadToken!,
    reader: reader!,
    writer: writer!,
    stranger: stranger!,
  };
  // A response to HEAD has no body and no code.
  const shown = Object.entries(responses).map(([kind, response]) => [kind, method === 'head' ? response.slice(0, 3) : response]);
  return Object.fromEntries(shown) as Record<Kind, string>;
}

async function send(method: string, { path, json, body, headers }: RouteRequest, credential: string | null) {
  const response = await fetch(service.url + path, {
    method: method.toUpperCase(),
    headers: {
      ...headers,
      ...(json && { 'Content-Type': 'application/json' }),
      ...(credential !== null && { Authorization: `Bearer ${credential}` }),
    },
    ...((json || body !== undefined) && { body: json ? JSON.stringify(json) : body! }),
  });
  const text = await response.text();
  const code = /"code":"([A-Z_]+)"/.exec(text)?.[1];
  return { response: code === undefined ? String(response.status) : `${response.status} ${code}`, text };
}

/** Texts that only a reader may learn: content, and ids that the request does not contain. */
const secretsFor = (kind: Kind, request: RouteRequest): string[] => {
  const stated = JSON.stringify(request);
  const ids = [
    targets.inside.id,
    targets.outside.id,
    targets.upload,
    targets.share,
    targets.lockedShare,
    targets.rule,
    targets.domain,
    targets.pair,
  ];
  const unknownIds = ids.filter((id) => !stated.includes(id));
  if (kind === 'reader') return [];
  return kind === 'writer' ? [SECRET] : [SECRET, targets.outside.sha256, ...unknownIds];
};

const REQUESTS = rowsForBackend(ROUTES, ([route]) => {
  const [method, path] = route.split(' ') as [string, string];
  return `${method} ${path.split('/')[2]}`;
});

describe('every kind of credential on every route', () => {
  it('has a row in the table for each route of /openapi.json', () => {
    const served = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect([...new Set(ROUTES.map(([route]) => route))].sort()).toEqual(served.sort());
  });

  it.each(REQUESTS)('gets the expected response from %s and changes nothing else', async (route, responses, requestOf) => {
    const method = route.split(' ')[0]!;
    const given: Partial<Record<Kind, string>> = {};
    const sendAs = async (kind: Kind) => {
      const request = requestOf(targets);
      const { response, text } = await send(method, request, credentials[kind]);
      given[kind] = response;
      for (const secret of secretsFor(kind, request)) expect([kind, text]).not.toEqual([kind, expect.stringContaining(secret)]);
    };
    await Promise.all(HARMLESS.map(sendAs));
    await expectUnchanged();
    await sendAs('uploadToken');
    await expectUnchanged('a');
    await sendAs('stranger');
    await expectUnchanged();
    await sendAs('writer');
    if (method === 'get' || given.writer! >= '3') await expectUnchanged();
    else if ((await findChanges()).gone.length > 0) await renewTargets();
    expect(given).toEqual(expectedResponses(route, responses));
  });
});

import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Metadata } from '../../server/service/drivers/metadata/metadata.js';
import { commands } from '../../server/service/s3/commands/index.js';
import { changesOf, isBelow, readMainRows } from '../service/account-rows.js';
import type { AccountRow } from '../service/account-rows.js';
import { openMetadata } from '../service/change-key.js';
import { COMMANDS, createTargets, secretOf } from './credentials-table.js';
import type { CommandRequest, Folder, RequestTargets } from './credentials-table.js';
import { TestEndpoint } from './start-endpoint.js';
import { urlOf } from './signing.js';
import type { KeyPair } from './signing.js';

/** These credentials may change nothing of account `main`. */
const HARMLESS = ['unsigned', 'wrongSecret', 'revoked', 'readOnly', 'stranger'] as const;
type Kind = (typeof HARMLESS)[number] | 'limited' | 'full';

let endpoint: TestEndpoint;
let metadata: Metadata;
let pairs: Record<Exclude<Kind, 'unsigned'>, KeyPair>;
let targets: RequestTargets;
/** Rows of account `main` in this setup. */
let rows: AccountRow[];
let count = 0;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  const { accounts, keys } = endpoint.service.core;
  await accounts.ensure('stranger');
  const key = await keys.create('main', { name: 'creator', scopes: ['blob:read', 'blob:write'] });
  pairs = {
    wrongSecret: { ...endpoint.pair, secretAccessKey: 'x'.repeat(40) },
    revoked: await endpoint.newPair({ creator: { ...ADMIN_CREATOR, keyId: key.id } }),
    readOnly: await endpoint.newPair({ readOnly: true }),
    limited: await endpoint.newPair({ prefix: 'a/' }),
    stranger: await endpoint.newPair({}, 'stranger'),
    full: endpoint.pair,
  };
  await keys.revoke('main', key.id);
  metadata = await openMetadata(endpoint.dataDir);
  await renewTargets();
});
afterAll(async () => {
  await metadata.close();
  await endpoint.stop();
});

async function renewTargets(): Promise<void> {
  count += 1;
  targets = await createTargets(endpoint, count);
  rows = await readMainRows(metadata);
}

/** Compares the rows of account `main` with those before. Creates a new setup after an allowed change. @param open whether a row may change. */
async function expectUnchanged(open: (row: AccountRow) => boolean = () => false): Promise<void> {
  const { gone, added } = changesOf(rows, await readMainRows(metadata));
  const changed = [...gone, ...added];
  expect(changed.filter((row) => !open(row))).toEqual([]);
  if (changed.length > 0) await renewTargets();
}

async function send(method: string, { path, query = {}, headers = {}, body }: CommandRequest, kind: Kind) {
  const options = { query, headers, ...(body !== undefined && { body }) };
  if (kind !== 'unsigned') return endpoint.send(method, path, { ...options, pair: pairs[kind] });
  const url = urlOf({ method, protocol: 'http:', hostname: endpoint.host, path, query, headers });
  return endpoint.fetch(url, { method, headers, ...(body !== undefined && { body }) });
}

/** Texts that must not reach this credential. */
function secretsFor(kind: Kind, folder: Folder): string[] {
  if (kind === 'full' || kind === 'readOnly') return [];
  const hidden = [secretOf('b'), '<Name>more-', '<Key>b/', ...(folder === 'a' ? ['b/secret', 'b/upload'] : [])];
  return kind === 'limited' ? hidden : [...hidden, secretOf('a'), '<Name>main', '<Key>a/'];
}

describe('every kind of S3 credential on every command', () => {
  it('has a row in the table for each command', () => {
    expect([...new Set(COMMANDS.map(([name]) => name))].sort()).toEqual(commands.map(({ name }) => name).sort());
  });

  it.each(COMMANDS)('gets the expected response from %s and changes nothing else', async (name, responses, requestOf) => {
    const { method, requiredQuery: flags = [], access } = commands.find((one) => one.name === name)!;
    // A response to HEAD has no body and no code.
    const shown = (response: string) => (method === 'HEAD' ? response.slice(0, 3) : response);
    const given: Record<string, string> = {};
    const sendAs = async (kind: Kind, folder: Folder) => {
      const request = requestOf(targets, folder);
      const query = { ...Object.fromEntries(flags.map((flag) => [flag, flag === 'list-type' ? '2' : ''])), ...request.query };
      const { status, code, text } = await send(method, { ...request, query }, kind);
      given[`${kind} ${folder}`] = code === undefined ? String(status) : `${status} ${code}`;
      // Errors of DeleteObjects and others contain names of the request.
      const learned = text.replaceAll(/<Error>.*?<\/Error>/gs, '');
      for (const secret of secretsFor(kind, folder)) expect([kind, learned]).not.toEqual([kind, expect.stringContaining(secret)]);
    };
    await Promise.all(HARMLESS.flatMap((kind) => [sendAs(kind, 'a'), sendAs(kind, 'b')]));
    await sendAs('limited', 'b');
    await expectUnchanged();
    await sendAs('limited', 'a');
    await expectUnchanged((row) => access === 'write' && isBelow('a', row));
    await sendAs('full', 'a');
    await expectUnchanged(() => access === 'write');

    const [full, readOnly, inside, outside, stranger] = responses.map(shown);
    const everywhere = (kind: Kind, response: string) => ({ [`${kind} a`]: shown(response), [`${kind} b`]: shown(response) });
    expect(given).toEqual({
      ...everywhere('unsigned', '403 AccessDenied'),
      ...everywhere('wrongSecret', '403 SignatureDoesNotMatch'),
      ...everywhere('revoked', '403 InvalidAccessKeyId'),
      ...everywhere('readOnly', readOnly!),
      ...everywhere('stranger', stranger!),
      'limited a': inside,
      'limited b': outside,
      'full a': full,
    });
  });
});

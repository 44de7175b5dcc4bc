import { Command } from 'commander';
import { FIRST_ACCOUNT } from '../service/identity/first-account.js';
import type { ApiKey } from '../service/identity/keys/api-key.js';
import type { RevokedWithKey } from '../service/identity/keys/revoked-with-key.js';
import { PRESETS } from '../service/identity/scopes.js';
import type { Core } from '../service/core.js';
import { addDatabaseFlags, describeDataLocation, withCore } from './data.js';
import type { DataFlags } from './data.js';
import { printFields, printJson, printNote, safeJson } from './output.js';
import { UsageError } from './errors.js';
import { readSecret } from './secrets.js';

interface Flags extends DataFlags {
  account: string;
  json?: boolean;
}

interface ImportFlags extends Flags {
  apiKeyFile: string;
  name: string;
  allowedIps?: string[];
}

interface CreateFlags extends Flags {
  name: string;
  scopes?: string;
  preset?: string;
  allowedIps?: string[];
}

/** Names printed of each kind when a key is revoked. */
const MAX_NAMES = 20;

/** Returns the commands that manage keys in the data itself. Access to the data is the only permission they need. */
export function keysCommand(): Command {
  const command = new Command().description('Manage API keys in the data directory or database. The service may be running.');
  const addCommonFlags = (subcommand: Command) =>
    addDatabaseFlags(subcommand)
      .option('--account <id>', 'account of the key; create adds it if it does not exist', FIRST_ACCOUNT)
      .option('--json', 'print one JSON object per line on standard output');
  addCommonFlags(command.command('create'))
    .description('Create a key and print its secret, which is shown only once')
    .option('--name <text>', 'label of the key in lists, 1 to 40 characters', 'key')
    .option('--scopes <list>', 'comma-separated scopes, such as blob:read,blob:write')
    .option('--preset <name>', `scopes by name instead of --scopes: ${Object.keys(PRESETS).join(', ')} (default: write)`)
    .option('--allowed-ips <address...>', 'up to 20 IP addresses or CIDR ranges that may use the key (default: all)')
    .addHelpText(
      'after',
      `
Examples:
  svc-blob keys create --name site --preset write
  svc-blob keys create --name reports --scopes blob:read --allowed-ips 192.0.2.0/24`,
    )
    .action((flags: CreateFlags) => withCore(flags, (core) => createKey(core, flags), { create: true }));
  addCommonFlags(command.command('import'))
    .description('Add a key of the platform without a prefix: 64 hexadecimal characters. It has every scope')
    .requiredOption('--api-key-file <file>', 'file with the key; - reads standard input')
    .option('--name <text>', 'label of the key in lists, 1 to 40 characters', 'key')
    .option('--allowed-ips <address...>', 'up to 20 IP addresses or CIDR ranges that may use the key (default: all)')
    .action((flags: ImportFlags) => withCore(flags, (core) => importKey(core, flags), { create: true }));
  addCommonFlags(command.command('list'))
    .description('List keys without their secrets')
    .action((flags: Flags) => withCore(flags, (core) => listKeys(core, flags)));
  addCommonFlags(command.command('delete').alias('revoke'))
    .argument('<id>', 'id of the key, from keys create or keys list')
    .description('Revoke a key, and delete everything it created: upload tokens, S3 key pairs, shares and temporary links')
    .action((id: string, flags: Flags) => withCore(flags, (core) => revokeKey(core, id, flags)));
  return command;
}

async function createKey(core: Core, flags: CreateFlags): Promise<void> {
  await core.accounts.ensure(flags.account);
  const { secret, ...key } = await core.keys.create(flags.account, {
    name: flags.name,
    scopes: scopesOf(flags),
    allowedIps: allowedIpsOf(flags),
  });
  if (flags.json) {
    printJson({ ...keyJson(key), api_key: secret });
    return;
  }
  printNote(`Created key ${key.id} ("${key.name}", ${key.scopes.join(', ')}) in ${describeDataLocation(flags)}.`);
  printNote('Its secret, which is not shown again:');
  printFields(secret);
}

const allowedIpsOf = ({ allowedIps = [] }: Pick<CreateFlags, 'allowedIps'>): string[] =>
  allowedIps.flatMap((list) => list.split(','));

async function importKey(core: Core, flags: ImportFlags): Promise<void> {
  const { apiKeyFile: file, name } = flags;
  const secret = readSecret({ flagName: '--api-key', flag: undefined, file, variableName: 'SVC_API_KEY' })!;
  await core.accounts.ensure(flags.account);
  const key = await core.keys.importLegacy(flags.account, { name, secret, allowedIps: allowedIpsOf(flags) });
  if (flags.json) printJson(keyJson(key));
  else printNote(`Imported key ${key.id} ("${key.name}", every scope) into ${describeDataLocation(flags)}.`);
}

function scopesOf({ scopes, preset }: CreateFlags): readonly string[] {
  if (scopes !== undefined && preset !== undefined) throw new UsageError('use either --scopes or --preset, not both');
  if (scopes !== undefined) return scopes.split(',').map((scope) => scope.trim());
  const name = preset ?? 'write';
  const presetScopes = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (!presetScopes) throw new UsageError(`--preset must be one of ${Object.keys(PRESETS).join(', ')}; got "${preset}"`);
  return presetScopes;
}

async function listKeys(core: Core, flags: Flags): Promise<void> {
  for (const key of await core.keys.list(flags.account)) {
    if (flags.json) printJson(keyJson(key));
    else printFields(key.id, key.revokedAt === null ? 'valid' : 'revoked', key.scopes.join(','), key.name);
  }
}

async function revokeKey(core: Core, id: string, flags: Flags): Promise<void> {
  const revoked = await core.keys.revoke(flags.account, id);
  if (!revoked) throw new Error(`the account ${flags.account} has no valid key ${id}: run svc-blob keys list`);
  if (flags.json) printJson({ id, revoked: true, ended: revokedJson(revoked) });
  else for (const line of [`Revoked ${id}. It ended:`, ...revokedLines(revoked)]) printNote(line);
}

const revokedJson = ({ uploadTokens, s3Credentials, shares, webhooks }: RevokedWithKey) => ({
  upload_tokens: uploadTokens,
  s3_credentials: s3Credentials.map(({ id, name }) => ({ access_key_id: id, name })),
  shares,
  webhooks: webhooks.map(({ id, url }) => ({ id, origin: new URL(url).origin })),
});

function revokedLines({ uploadTokens, s3Credentials, shares, webhooks }: RevokedWithKey): string[] {
  const pairs = s3Credentials.map(({ id, name }) => (name === '' ? id : `${id} ${safeJson(name)}`));
  const sharedPaths = shares.map(({ path, prefix }) => safeJson(path ?? `${prefix}/`));
  return [
    `- upload tokens that could still be used: ${uploadTokens}`,
    `- S3 key pairs: ${countAndNames(pairs)}`,
    `- shares: ${countAndNames(sharedPaths)}`,
    `- webhooks: ${countAndNames(webhooks.map(({ url }) => safeJson(new URL(url).origin)))}`,
    '- every temporary link that it created',
  ];
}

/** Returns the number of names, followed by at most `MAX_NAMES` of them. */
function countAndNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more (--json lists all)` : '';
  return names.length === 0 ? '0' : `${names.length} (${shown}${more})`;
}

const keyJson = (key: ApiKey) => ({
  id: key.id,
  account_id: key.accountId,
  name: key.name,
  prefix: key.prefix,
  last4: key.last4,
  scopes: key.scopes,
  allowed_ips: key.allowedIps,
  created_at: new Date(key.createdAt).toISOString(),
  last_used_at: key.lastUsedAt === null ? null : new Date(key.lastUsedAt).toISOString(),
  revoked_at: key.revokedAt === null ? null : new Date(key.revokedAt).toISOString(),
});

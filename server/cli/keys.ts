import { Command } from 'commander';
import { FIRST_ACCOUNT } from '../service/identity/first-account.js';
import type { ApiKey, RevokedWithKey } from '../service/identity/api-keys.js';
import { PRESETS } from '../service/identity/scopes.js';
import type { Core } from '../service/core.js';
import { dataLocation, openData } from './environment.js';
import type { DataFlags } from './environment.js';
import { printFields, printJson, printNote, safeJson } from './output.js';
import { UsageError } from './errors.js';

interface Flags extends DataFlags {
  account: string;
  json?: boolean;
}

interface CreateFlags extends Flags {
  name: string;
  scopes?: string;
  preset?: string;
  allowedIps?: string[];
}

const NAMES_SHOWN = 20;

/** Works on the data directory or the database itself: access to them is the permission. */
export function keysCommand(): Command {
  const command = new Command().description(
    'Manage API keys, directly in the data directory or the database. The service may run.',
  );
  const common = (subcommand: Command) =>
    subcommand
      .option('--data-dir <folder>', 'folder of the SQLite database and the files [DATA_DIR, ./data]')
      .option('--database-url <url>', 'postgres://… instead of SQLite [DATABASE_URL]')
      .option('--database-url-file <file>', 'file with that address; - reads standard input [DATABASE_URL_FILE]')
      .option('--account <id>', 'account of the key; created if it does not exist', FIRST_ACCOUNT)
      .option('--json', 'print one JSON object per line on stdout');
  common(command.command('create'))
    .description('create a key and print its secret; it is shown only once')
    .option('--name <text>', 'a label for lists, 1 to 40 characters', 'key')
    .option('--scopes <list>', 'comma-separated: blob:read, blob:write')
    .option('--preset <name>', `${Object.keys(PRESETS).join(', ')} (default: write)`)
    .option('--allowed-ips <address...>', 'up to 20 IP addresses or CIDR ranges that may use the key (default: all)')
    .action((flags: CreateFlags) => withCore(flags, (core) => create(core, flags), { create: true }));
  common(command.command('list'))
    .description('list keys without their secrets')
    .action((flags: Flags) => withCore(flags, (core) => list(core, flags)));
  common(command.command('revoke'))
    .argument('<id>', 'id, as create and list print it')
    .description('revoke a key and everything it created: upload tokens, S3 key pairs, shares, temporary links')
    .action((id: string, flags: Flags) => withCore(flags, (core) => revoke(core, id, flags)));
  return command;
}

async function withCore(flags: DataFlags, work: (core: Core) => Promise<void>, { create = false } = {}): Promise<void> {
  const core = await openData(flags, { create });
  try {
    await work(core);
  } finally {
    await core.close();
  }
}

async function create(core: Core, flags: CreateFlags): Promise<void> {
  await core.accounts.ensure(flags.account);
  const { secret, ...key } = await core.keys.create(flags.account, {
    name: flags.name,
    scopes: chosenScopes(flags),
    allowedIps: (flags.allowedIps ?? []).flatMap((list) => list.split(',')),
  });
  if (flags.json) {
    printJson({ ...keyJson(key), api_key: secret });
    return;
  }
  printNote(`Created key ${key.id} ("${key.name}", ${key.scopes.join(', ')}) in ${dataLocation(flags)}.`);
  printNote('Its secret, which is not shown again:');
  printFields(secret);
}

function chosenScopes({ scopes, preset }: CreateFlags): readonly string[] {
  if (scopes !== undefined && preset !== undefined) throw new UsageError('use either --scopes or --preset, not both');
  if (scopes !== undefined) return scopes.split(',').map((scope) => scope.trim());
  const name = preset ?? 'write';
  const chosen = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (!chosen) throw new UsageError(`--preset must be one of ${Object.keys(PRESETS).join(', ')}; got "${preset}"`);
  return chosen;
}

async function list(core: Core, flags: Flags): Promise<void> {
  for (const key of await core.keys.list(flags.account)) {
    if (flags.json) printJson(keyJson(key));
    else printFields(key.id, key.revokedAt === null ? 'valid' : 'revoked', key.scopes.join(','), key.name);
  }
}

async function revoke(core: Core, id: string, flags: Flags): Promise<void> {
  const ended = await core.keys.revoke(flags.account, id);
  if (!ended) throw new Error(`there is no valid key ${id} in the account ${flags.account}`);
  if (flags.json) printJson({ id, revoked: true, ended: endedJson(ended) });
  else for (const line of [`Revoked ${id}. It ended:`, ...endedLines(ended)]) printNote(line);
}

const endedJson = ({ uploadTokens, s3Credentials, shares }: RevokedWithKey) => ({
  upload_tokens: uploadTokens,
  s3_credentials: s3Credentials.map(({ id, name }) => ({ access_key_id: id, name })),
  shares,
});

function endedLines({ uploadTokens, s3Credentials, shares }: RevokedWithKey): string[] {
  const pairs = s3Credentials.map(({ id, name }) => (name === '' ? id : `${id} ${safeJson(name)}`));
  const places = shares.map(({ path, prefix }) => safeJson(path ?? `${prefix}/`));
  return [
    `- upload tokens that could still be used: ${uploadTokens}`,
    `- S3 key pairs: ${countAndNames(pairs)}`,
    `- shares: ${countAndNames(places)}`,
    '- every temporary link that it created',
  ];
}

/** Returns the number of names and the first of them. */
function countAndNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  const more = names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more (--json lists all)` : '';
  return names.length === 0 ? '0' : `${names.length} (${shown}${more})`;
}

const keyJson = (key: ApiKey) => ({
  id: key.id,
  account_id: key.accountId,
  name: key.name,
  scopes: key.scopes,
  allowed_ips: key.allowedIps,
  created_at: new Date(key.createdAt).toISOString(),
  revoked_at: key.revokedAt === null ? null : new Date(key.revokedAt).toISOString(),
});

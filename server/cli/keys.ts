import { Command } from 'commander';
import { FIRST_ACCOUNT } from '../service/accounts/first-account.js';
import type { ApiKey } from '../service/accounts/keys.js';
import { PRESETS } from '../service/accounts/scopes.js';
import type { Core } from '../service/storage.js';
import { dataPlace, openData } from './environment.js';
import type { DataFlags } from './environment.js';
import { UsageError } from './report.js';

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

/** On the data directory or the database itself: whoever can read that may make keys. */
export function keysCommand(): Command {
  const command = new Command().description(
    'API keys. Works on the data directory or the database itself, whether the service runs or not.',
  );
  const common = (one: Command) =>
    one
      .option('--data-dir <folder>', 'where SQLite and the files lie [DATA_DIR, ./data]')
      .option('--database-url <url>', 'postgres://… instead of SQLite [DATABASE_URL]')
      .option('--account <id>', 'whose storage; made when it is new', FIRST_ACCOUNT)
      .option('--json', 'one JSON object a line on stdout');
  common(command.command('create'))
    .description('make a key and print its secret, once')
    .option('--name <text>', 'what you will know it by, 1 to 40 characters', 'key')
    .option('--scopes <list>', 'comma-separated: blob:read, blob:write')
    .option('--preset <name>', `${Object.keys(PRESETS).join(', ')}; write by default`)
    .option('--allowed-ips <address...>', 'IPs or CIDR ranges it may be used from, 20 at most; anywhere by default')
    .action((flags: CreateFlags) => withCore(flags, (core) => create(core, flags), { make: true }));
  common(command.command('list'))
    .description('list the keys, without their secrets')
    .action((flags: Flags) => withCore(flags, (core) => list(core, flags)));
  common(command.command('revoke'))
    .argument('<id>', 'as create and list print it')
    .description('revoke a key and every upload token it made')
    .action((id: string, flags: Flags) => withCore(flags, (core) => revoke(core, id, flags)));
  return command;
}

async function withCore(flags: DataFlags, work: (core: Core) => Promise<void>, { make = false } = {}): Promise<void> {
  const core = await openData(flags, { make });
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
    console.log(JSON.stringify({ ...keyJson(key), api_key: secret }));
    return;
  }
  console.error(`Made the key ${key.id} ("${key.name}", ${key.scopes.join(', ')}) in ${dataPlace(flags)}.`);
  console.error('This is its secret; it is not shown again:');
  console.log(secret);
}

function chosenScopes({ scopes, preset }: CreateFlags): readonly string[] {
  if (scopes !== undefined && preset !== undefined) throw new UsageError('name --scopes or --preset, not both');
  if (scopes !== undefined) return scopes.split(',').map((scope) => scope.trim());
  const chosen = PRESETS[preset ?? 'write'];
  if (!chosen) throw new UsageError(`"${preset}" is no preset; there are ${Object.keys(PRESETS).join(', ')}`);
  return chosen;
}

async function list(core: Core, flags: Flags): Promise<void> {
  for (const key of await core.keys.list(flags.account)) {
    if (flags.json) console.log(JSON.stringify(keyJson(key)));
    else console.log([key.id, key.revokedAt === null ? 'valid' : 'revoked', key.scopes.join(','), key.name].join('\t'));
  }
}

async function revoke(core: Core, id: string, flags: Flags): Promise<void> {
  if (!(await core.keys.revoke(flags.account, id)))
    throw new Error(`there is no valid key ${id} in the account ${flags.account}`);
  if (flags.json) console.log(JSON.stringify({ id, revoked: true }));
  else console.error(`Revoked ${id} and its upload tokens.`);
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

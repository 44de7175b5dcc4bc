import { trimEndCharacters } from '../../src/protocol/trim.js';
import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import type { Core } from '../service/core.js';
import { ADMIN_CREATOR } from '../service/identity/creator.js';
import { assertNewPassword } from '../service/identity/users/passwords.js';
import { isLanguage, LANGUAGES, parseEmail, parseName } from '../service/identity/users/user-fields.js';
import type { Language } from '../service/identity/users/user-fields.js';
import { addDatabaseFlags, withCore } from './data.js';
import type { DataFlags } from './data.js';
import { environmentVariable } from './environment.js';
import { UsageError } from './errors.js';
import { printFields, printJson, printNote } from './output.js';
import { readSecretFile } from './secrets.js';
import { readPublicUrl } from './serve-settings.js';

interface Flags extends DataFlags {
  json?: boolean;
}

interface PasswordFlags extends Flags {
  passwordFile?: string;
}

interface CreateFlags extends PasswordFlags {
  email: string;
  name: string;
  language?: string;
  admin?: boolean;
}

interface InviteFlags extends Flags {
  email: string;
  language?: string;
  publicUrl?: string;
}

/** Random bytes of a generated password: 120 bits, 20 characters. */
const PASSWORD_BYTES = 15;

/** Returns the commands that manage users in the data itself. Access to the data is the only permission they need. */
export function usersCommand(): Command {
  const command = new Command().description('Manage users in the data directory or database. The service may be running.');
  const add = (name: string) =>
    addDatabaseFlags(command.command(name)).option('--json', 'print one JSON object per line on standard output');
  const addPasswordFlag = (subcommand: Command) =>
    subcommand.option('--password-file <file>', 'file with the password; - reads standard input (default: a generated password)');
  const languages = `language of the user: ${LANGUAGES.join(', ')} (default: en-us)`;

  addPasswordFlag(add('create'))
    .description('Create a user. Without --password-file, it prints a generated password, which is shown only once')
    .requiredOption('--email <address>', 'email of the user, which is unique')
    .requiredOption('--name <text>', 'name of the user, 1 to 100 characters')
    .option('--language <tag>', languages)
    .option('--admin', 'make the user an administrator. The first one takes over the account main')
    .addHelpText(
      'after',
      `
Examples:
  svc-blob users create --email ana@example.org --name Ana --admin
  svc-blob users create --email ben@example.org --name Ben --password-file - < password.txt`,
    )
    .action((flags: CreateFlags) => withCore(flags, (core) => createUser(core, flags), { create: true }));
  add('list')
    .description('List users')
    .action((flags: Flags) => withCore(flags, (core) => listUsers(core, flags)));
  add('invite')
    .description('Print a link with which a person creates a user. It works once, for 7 days')
    .requiredOption('--email <address>', 'email of the person')
    .option('--language <tag>', languages)
    .option('--public-url <url>', 'public address of the service (default: http://localhost:8080, env: PUBLIC_URL)')
    .action((flags: InviteFlags) => withCore(flags, (core) => inviteUser(core, flags)));
  add('disable')
    .argument('<user>', 'email or id of the user')
    .description('Disable a user, with the sessions, API keys, S3 key pairs and upload tokens. Files and shares stay')
    .action((user: string, flags: Flags) => withCore(flags, (core) => changeStatus(core, user, 'disable', flags)));
  add('enable')
    .argument('<user>', 'email or id of the user')
    .description('Enable a disabled user, with the API keys and S3 key pairs')
    .action((user: string, flags: Flags) => withCore(flags, (core) => changeStatus(core, user, 'enable', flags)));
  addPasswordFlag(add('reset-password'))
    .argument('<user>', 'email or id of the user')
    .description('Set a new password and end all sessions of the user. Without --password-file, it prints a generated password')
    .action((user: string, flags: PasswordFlags) => withCore(flags, (core) => resetPassword(core, user, flags)));
  return command;
}

async function createUser(core: Core, flags: CreateFlags): Promise<void> {
  const email = parseEmail(flags.email);
  const name = parseName(flags.name);
  const language = readLanguage(flags.language);
  const { password, isGenerated } = readPassword(flags.passwordFile);
  const passwordHash = await core.passwords.hash(password);
  const isAdmin = flags.admin === true;
  const user = await core.write((query) =>
    core.users.add(query, ADMIN_CREATOR, { email, name, passwordHash, isAdmin, ...(language && { language }) }),
  );
  if (flags.json) {
    printJson({ id: user.id, email: user.email, ...(isGenerated && { password }) });
    return;
  }
  printNote(`Created ${isAdmin ? 'administrator' : 'user'} ${user.id} (${user.email}).`);
  printPassword(password, isGenerated);
}

async function listUsers(core: Core, flags: Flags): Promise<void> {
  for (const user of await core.users.list()) {
    const status = user.disabled_at === null ? 'enabled' : 'disabled';
    if (flags.json) printJson(user);
    else printFields(user.id, status, user.is_admin ? 'administrator' : 'user', user.email, user.name);
  }
}

async function inviteUser(core: Core, flags: InviteFlags): Promise<void> {
  const language = readLanguage(flags.language);
  const baseUrl = readPublicUrl(flags.publicUrl) ?? `http://localhost:${environmentVariable('PORT') ?? '8080'}`;
  const { secret, ...invitation } = await core.invitations.create(ADMIN_CREATOR, {
    email: flags.email,
    ...(language && { language }),
  });
  const url = `${trimEndCharacters(baseUrl, '/')}/invitation#${secret}`;
  if (flags.json) {
    printJson({ ...invitation, url });
    return;
  }
  printNote(`Send this link to ${invitation.email}. It works once, until ${invitation.expires_at}:`);
  printFields(url);
}

async function changeStatus(core: Core, text: string, verb: 'disable' | 'enable', flags: Flags): Promise<void> {
  const { id, email } = await findUser(core, text);
  const hasChanged = await core.userStatus[verb](id, ADMIN_CREATOR);
  if (flags.json) printJson({ id, email, disabled: verb === 'disable' });
  else printNote(hasChanged ? `The user ${email} is ${verb}d now.` : `The user ${email} was ${verb}d already.`);
}

async function resetPassword(core: Core, text: string, flags: PasswordFlags): Promise<void> {
  const { id, email } = await findUser(core, text);
  const { password, isGenerated } = readPassword(flags.passwordFile);
  await core.userPasswords.reset(id, ADMIN_CREATOR, password);
  if (flags.json) {
    printJson({ id, email, ...(isGenerated && { password }) });
    return;
  }
  printNote(`Set a new password for ${email} and ended all sessions.`);
  printPassword(password, isGenerated);
}

/** Finds a user by email or id. @throws Error if there is none */
async function findUser(core: Core, text: string): Promise<{ id: string; email: string }> {
  const user = text.includes('@') ? await core.users.findByEmail(text) : await core.users.findById(text);
  if (!user) throw new Error(`there is no user ${text}: run svc-blob users list`);
  return user;
}

/** Reads the password file, or generates a password. @throws BlobError `VALIDATION_ERROR` for a weak password */
function readPassword(file: string | undefined): { password: string; isGenerated: boolean } {
  if (file === undefined) return { password: randomBytes(PASSWORD_BYTES).toString('base64url'), isGenerated: true };
  const password = readSecretFile(file, '--password-file');
  assertNewPassword(password);
  return { password, isGenerated: false };
}

function printPassword(password: string, isGenerated: boolean): void {
  if (!isGenerated) return;
  printNote('The password, which is not shown again:');
  printFields(password);
}

function readLanguage(text: string | undefined): Language | undefined {
  if (text === undefined || isLanguage(text)) return text;
  throw new UsageError(`--language must be one of ${LANGUAGES.join(', ')}; got "${text}"`);
}

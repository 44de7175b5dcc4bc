import { Command } from 'commander';
import { call, withApiFlags } from './api.js';
import type { ApiFlags } from './api.js';
import { printFields, printJson, printNote } from './output.js';
import { numberOption } from './errors.js';

interface S3Credential {
  access_key_id: string;
  name: string;
  read_only: boolean;
  prefix: string | null;
  expires_at: string | null;
  created_at: string;
}

export function s3CredentialsCommand(): Command {
  const command = new Command().description('Manage the key pairs of the S3 endpoint.');
  withApiFlags(command.command('create'))
    .description('create a key pair and print it; the secret is shown only once')
    .option('--name <text>', 'a label for lists')
    .option('--read-only', 'allow reading only')
    .option('--prefix <folder>', 'allow this folder only')
    .option('--expires-in <seconds>', 'lifetime, 60 to 604800 (default: no end)')
    .action(create);
  withApiFlags(command.command('list')).description('list key pairs without their secrets').action(list);
  withApiFlags(command.command('delete')).argument('<access key id>').description('delete a key pair').action(remove);
  return command;
}

async function create(
  flags: ApiFlags & { name?: string; readOnly?: boolean; prefix?: string; expiresIn?: string },
): Promise<void> {
  const created = await call<S3Credential & { secret_access_key: string }>(flags, 'POST', '/v1/s3-credentials', {
    name: flags.name,
    read_only: flags.readOnly,
    prefix: flags.prefix,
    expires_in: numberOption('--expires-in', flags.expiresIn),
  });
  if (flags.json) {
    printJson(created);
    return;
  }
  printNote('Created a key pair. The secret is not shown again. Variables for AWS tools:');
  printFields(`AWS_ACCESS_KEY_ID=${created.access_key_id}`);
  printFields(`AWS_SECRET_ACCESS_KEY=${created.secret_access_key}`);
}

async function list(flags: ApiFlags): Promise<void> {
  const { s3_credentials } = await call<{ s3_credentials: S3Credential[] }>(flags, 'GET', '/v1/s3-credentials');
  for (const pair of s3_credentials) {
    if (flags.json) printJson(pair);
    else
      printFields(
        pair.access_key_id,
        pair.read_only ? 'read-only' : 'read-write',
        `${pair.prefix ?? ''}/`,
        pair.name,
        ...(pair.expires_at ? [`until ${pair.expires_at}`] : []),
      );
  }
}

async function remove(id: string, flags: ApiFlags): Promise<void> {
  await call(flags, 'DELETE', `/v1/s3-credentials/${encodeURIComponent(id)}`);
  if (flags.json) printJson({ access_key_id: id, deleted: true });
  else printNote(`Deleted ${id}.`);
}

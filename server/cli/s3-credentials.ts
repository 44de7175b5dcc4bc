import { Command } from 'commander';
import { call, withApiFlags } from './api.js';
import type { ApiFlags } from './api.js';
import { printFields, printJson, printNote } from './output.js';
import { numberOption } from './report-failure.js';

interface S3Credential {
  access_key_id: string;
  name: string;
  read_only: boolean;
  prefix: string | null;
  expires_at: string | null;
  created_at: string;
}

export function s3CredentialsCommand(): Command {
  const command = new Command().description('Key pairs of the S3 endpoint.');
  withApiFlags(command.command('create'))
    .description('make a key pair and print it, once')
    .option('--name <text>', 'what you will know it by')
    .option('--read-only', 'may read, not write')
    .option('--prefix <folder>', 'opens this folder alone')
    .option('--expires-in <seconds>', 'ends by itself after so long: 60 to 604800')
    .action(create);
  withApiFlags(command.command('list')).description('list key pairs, without their secrets').action(list);
  withApiFlags(command.command('delete')).argument('<access key id>').description('revoke a key pair').action(remove);
  return command;
}

async function create(
  flags: ApiFlags & { name?: string; readOnly?: boolean; prefix?: string; expiresIn?: string },
): Promise<void> {
  const made = await call<S3Credential & { secret_access_key: string }>(flags, 'POST', '/v1/s3-credentials', {
    name: flags.name,
    read_only: flags.readOnly,
    prefix: flags.prefix,
    expires_in: numberOption('--expires-in', flags.expiresIn),
  });
  if (flags.json) {
    printJson(made);
    return;
  }
  printNote('Made a key pair. This is its secret; it is not shown again. As every AWS tool reads it:');
  printFields(`AWS_ACCESS_KEY_ID=${made.access_key_id}`);
  printFields(`AWS_SECRET_ACCESS_KEY=${made.secret_access_key}`);
}

async function list(flags: ApiFlags): Promise<void> {
  const { s3_credentials } = await call<{ s3_credentials: S3Credential[] }>(flags, 'GET', '/v1/s3-credentials');
  for (const one of s3_credentials) {
    if (flags.json) printJson(one);
    else
      printFields(
        one.access_key_id,
        one.read_only ? 'read-only' : 'read-write',
        `${one.prefix ?? ''}/`,
        one.name,
        ...(one.expires_at ? [`until ${one.expires_at}`] : []),
      );
  }
}

async function remove(id: string, flags: ApiFlags): Promise<void> {
  await call(flags, 'DELETE', `/v1/s3-credentials/${encodeURIComponent(id)}`);
  if (flags.json) printJson({ access_key_id: id, deleted: true });
  else printNote(`Revoked ${id}.`);
}

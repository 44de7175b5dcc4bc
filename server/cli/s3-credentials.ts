import { Command } from 'commander';
import { callApi, addApiFlags } from './api.js';
import type { ApiFlags } from './api.js';
import { printFields, printJson, printNote } from './output.js';
import { parseNumberFlag } from './parse-flags.js';

interface S3Credential {
  access_key_id: string;
  name: string;
  read_only: boolean;
  prefix: string | null;
  expires_at: string | null;
  created_at: string;
}

export function s3CredentialsCommand(): Command {
  const command = new Command().description('Manage the key pairs of the S3 endpoint');
  addApiFlags(command.command('create'))
    .description('Create a key pair and print it. The secret is shown only once.')
    .option('--name <text>', 'label of the key pair in lists')
    .option('--read-only', 'allow reading, but not writing')
    .option('--prefix <folder>', 'allow this folder only')
    .option('--expires-in <seconds>', 'lifetime of the key pair, 60 to 604800 (default: unlimited)')
    .action(createKeyPair);
  addApiFlags(command.command('list')).description('List key pairs without their secrets').action(listKeyPairs);
  addApiFlags(command.command('delete'))
    .argument('<access key id>', 'id of the key pair, from s3-credentials create or list')
    .description('Delete a key pair')
    .action(deleteKeyPair);
  return command;
}

async function createKeyPair(
  flags: ApiFlags & { name?: string; readOnly?: boolean; prefix?: string; expiresIn?: string },
): Promise<void> {
  const created = await callApi<S3Credential & { secret_access_key: string }>(flags, 'POST', '/v1/s3-credentials', {
    name: flags.name,
    read_only: flags.readOnly,
    prefix: flags.prefix,
    expires_in: parseNumberFlag('--expires-in', flags.expiresIn),
  });
  if (flags.json) {
    printJson(created);
    return;
  }
  printNote('Created a key pair. Its secret is not shown again. Set these variables for AWS tools:');
  printFields(`AWS_ACCESS_KEY_ID=${created.access_key_id}`);
  printFields(`AWS_SECRET_ACCESS_KEY=${created.secret_access_key}`);
}

async function listKeyPairs(flags: ApiFlags): Promise<void> {
  const { s3_credentials } = await callApi<{ s3_credentials: S3Credential[] }>(flags, 'GET', '/v1/s3-credentials');
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

async function deleteKeyPair(id: string, flags: ApiFlags): Promise<void> {
  await callApi(flags, 'DELETE', `/v1/s3-credentials/${encodeURIComponent(id)}`);
  if (flags.json) printJson({ access_key_id: id, deleted: true });
  else printNote(`Deleted ${id}.`);
}

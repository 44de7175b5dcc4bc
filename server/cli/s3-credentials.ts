import { Command } from 'commander';
import { callApi, addApiFlags, readUrl } from './api.js';
import { environmentVariable } from './environment.js';
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
    .description('Create a key pair and print the variables to export for AWS tools. The secret is shown only once.')
    .option('--name <text>', 'label of the key pair in lists')
    .option('--read-only', 'allow reading, but not writing')
    .option('--prefix <folder>', 'allow this folder only')
    .option('--expires-in <seconds>', 'lifetime of the key pair, 60 to 604800 (default: unlimited)')
    .option(
      '--endpoint <address>',
      'address of the S3 endpoint to print (default: port 9000 of the service, env: AWS_ENDPOINT_URL)',
    )
    .addHelpText(
      'after',
      `
Example:
  eval "$(svc-blob s3-credentials create --name laptop)" && svc-blob ls s3://main`,
    )
    .action(createKeyPair);
  addApiFlags(command.command('list')).description('List key pairs without their secrets').action(listKeyPairs);
  addApiFlags(command.command('delete').alias('revoke'))
    .argument('<access key id>', 'id of the key pair, from s3-credentials create or list')
    .description('Delete a key pair')
    .action(deleteKeyPair);
  return command;
}

interface CreateFlags extends ApiFlags {
  name?: string;
  readOnly?: boolean;
  prefix?: string;
  expiresIn?: string;
  endpoint?: string;
}

async function createKeyPair(flags: CreateFlags): Promise<void> {
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
  const endpoint = flags.endpoint ?? environmentVariable('AWS_ENDPOINT_URL');
  printNote('Created a key pair. Its secret is not shown again. Export these variables for AWS tools and svc-blob:');
  printFields(exportLine('AWS_ACCESS_KEY_ID', created.access_key_id));
  printFields(exportLine('AWS_SECRET_ACCESS_KEY', created.secret_access_key));
  printFields(exportLine('AWS_REGION', environmentVariable('AWS_REGION') ?? 'us-east-1'));
  printFields(exportLine('AWS_ENDPOINT_URL', endpoint ?? defaultEndpoint(readUrl(flags))));
  if (endpoint === undefined)
    printNote('The endpoint is port 9000 of the service. If the S3 endpoint is elsewhere, name it with --endpoint.');
}

/** Returns a line for a shell. The values come from the service, so they are quoted: they must not run as commands. */
const exportLine = (name: string, value: string): string =>
  `export ${name}=${/^[\w./:+=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`}`;

function defaultEndpoint(serviceUrl: string): string {
  const url = new URL(serviceUrl);
  url.port = '9000';
  return url.origin;
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

import { Command } from 'commander';
import { parseSize } from '../../src/protocol/sizes.js';
import type { CreatedUploadToken, UploadTokenOptions, UploadTokenRecord, Visibility } from '../../src/protocol/types.js';
import { callApi, readPages, addApiFlags } from './api.js';
import type { ApiFlags } from './api.js';
import { formatCount } from './bulk/format.js';
import { printFields, printJson, printNote } from './output.js';
import { parseMetadataFlag, parseNumberFlag } from './parse-flags.js';

interface CreateFlags extends ApiFlags {
  path?: string;
  prefix?: string;
  visibility?: Visibility;
  cacheControl?: string;
  contentDisposition?: string;
  fileExpiresAt?: string;
  metadata?: string[];
  maxSize?: string;
  ext?: string[];
  overwrite?: boolean;
  allowFetch?: boolean;
  allowDelete?: boolean;
  expiresIn?: string;
  maxUses?: string;
}

export function tokensCommand(): Command {
  const command = new Command().description('Manage upload tokens, the short-lived upload permissions of browsers');
  addApiFlags(command.command('create'))
    .description('Create a token and print it. It is shown only once.')
    .option('--path <path>', 'allow this file only; cannot be used with --prefix')
    .option('--prefix <folder>', 'allow files in this folder only')
    .option('--visibility <word>', 'public or private')
    .option('--cache-control <value>', 'Cache-Control of the file')
    .option('--content-disposition <value>', 'Content-Disposition of the file')
    .option('--file-expires-at <time>', 'time at which the file is deleted, ISO 8601')
    .option('--metadata <key=value...>', 'metadata of the file')
    .option('--max-size <size>', 'largest file in bytes, or with a unit, such as 10MB or 10MiB')
    .option('--ext <extension...>', 'allowed extensions, 1 to 20; may be comma-separated')
    .option('--overwrite', 'allow the token to replace files')
    .option('--allow-fetch', 'allow the token to fetch files from URLs')
    .option('--allow-delete', 'allow the token to delete files that it stored')
    .option('--expires-in <seconds>', 'lifetime of the token, 60 to 3600 (default: 900)')
    .option('--max-uses <number>', 'number of uploads, 1 to 100 (default: 1)')
    .addHelpText(
      'after',
      `
Examples:
  svc-blob tokens create --prefix inbox --ext jpg,png --max-size 10MB
  svc-blob tokens create --path reports/today.pdf --overwrite --expires-in 3600`,
    )
    .action(createToken);
  addApiFlags(command.command('list')).description('List tokens without their secrets, newest first').action(listTokens);
  addApiFlags(command.command('delete').alias('revoke'))
    .argument('<id>', 'id of the token, from tokens create or tokens list')
    .description('Revoke a token')
    .action(revokeToken);
  return command;
}

async function createToken(flags: CreateFlags): Promise<void> {
  const body: { [Field in keyof UploadTokenOptions]: UploadTokenOptions[Field] | undefined } = {
    path: flags.path,
    prefix: flags.prefix,
    visibility: flags.visibility,
    cache_control: flags.cacheControl,
    content_disposition: flags.contentDisposition,
    expires_at: flags.fileExpiresAt,
    metadata: parseMetadataFlag(flags.metadata),
    max_size: parseNumberFlag('--max-size', flags.maxSize, parseSize),
    allowed_extensions: flags.ext?.flatMap((list) => list.split(',')),
    overwrite: flags.overwrite,
    allow_fetch: flags.allowFetch,
    allow_delete: flags.allowDelete,
    expires_in: parseNumberFlag('--expires-in', flags.expiresIn),
    max_uses: parseNumberFlag('--max-uses', flags.maxUses),
  };
  const created = await callApi<CreatedUploadToken>(flags, 'POST', '/v1/upload-tokens', body);
  if (flags.json) {
    printJson(created);
    return;
  }
  printNote(`Created token ${created.id} for ${formatCount(created.max_uses, 'upload')} until ${created.expires_at}:`);
  printFields(created.token);
}

async function listTokens(flags: ApiFlags): Promise<void> {
  type Page = { upload_tokens: UploadTokenRecord[]; cursor: string | null };
  for await (const page of readPages<Page>(flags, '/v1/upload-tokens', {}, ({ upload_tokens }) => upload_tokens.length)) {
    for (const token of page.upload_tokens) {
      if (flags.json) printJson(token);
      else
        printFields(
          token.id,
          `${token.uses}/${token.max_uses}`,
          token.revoked_at ? 'revoked' : token.expires_at,
          token.path ?? `${token.prefix ?? ''}/`,
        );
    }
  }
}

async function revokeToken(id: string, flags: ApiFlags): Promise<void> {
  await callApi(flags, 'DELETE', `/v1/upload-tokens/${encodeURIComponent(id)}`);
  if (flags.json) printJson({ id, revoked: true });
  else printNote(`Revoked ${id}.`);
}

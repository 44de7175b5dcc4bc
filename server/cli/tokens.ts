import { Command } from 'commander';
import { parseSize } from '../../src/protocol/sizes.js';
import type { CreatedUploadToken, UploadTokenOptions, UploadTokenRecord, Visibility } from '../../src/protocol/types.js';
import { call, pages, withApiFlags } from './api.js';
import type { ApiFlags } from './api.js';
import { printFields, printJson, printNote } from './output.js';
import { metadataOption, numberOption } from './report-failure.js';

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
  expiresIn?: string;
  maxUses?: string;
}

export function tokensCommand(): Command {
  const command = new Command().description('Upload tokens: short-lived permissions for browsers.');
  withApiFlags(command.command('create'))
    .description('make a token and print it, once')
    .option('--path <path>', 'one exact file; excludes --prefix')
    .option('--prefix <folder>', 'a folder')
    .option('--visibility <word>', 'public or private')
    .option('--cache-control <value>', 'of the file')
    .option('--content-disposition <value>', 'of the file')
    .option('--file-expires-at <time>', 'when the file vanishes, ISO 8601')
    .option('--metadata <key=value...>', 'of the file')
    .option('--max-size <size>', 'bytes, or 10MB, 10MiB')
    .option('--ext <extension...>', 'allowed extensions, 1 to 20; also comma-separated')
    .option('--overwrite', 'may replace files')
    .option('--expires-in <seconds>', '60 to 3600, 900 by default')
    .option('--max-uses <number>', '1 to 100, 1 by default')
    .action(create);
  withApiFlags(command.command('list')).description('list tokens, newest first, without their secrets').action(list);
  withApiFlags(command.command('revoke')).argument('<id>').description('revoke a token').action(revoke);
  return command;
}

async function create(flags: CreateFlags): Promise<void> {
  const body: { [Field in keyof UploadTokenOptions]: UploadTokenOptions[Field] | undefined } = {
    path: flags.path,
    prefix: flags.prefix,
    visibility: flags.visibility,
    cache_control: flags.cacheControl,
    content_disposition: flags.contentDisposition,
    expires_at: flags.fileExpiresAt,
    metadata: metadataOption(flags.metadata),
    max_size: numberOption('--max-size', flags.maxSize, parseSize),
    allowed_extensions: flags.ext?.flatMap((list) => list.split(',')),
    overwrite: flags.overwrite,
    expires_in: numberOption('--expires-in', flags.expiresIn),
    max_uses: numberOption('--max-uses', flags.maxUses),
  };
  const created = await call<CreatedUploadToken>(flags, 'POST', '/v1/upload-tokens', body);
  if (flags.json) {
    printJson(created);
    return;
  }
  printNote(`Made the token ${created.id}, good for ${created.max_uses} upload(s) until ${created.expires_at}:`);
  printFields(created.token);
}

async function list(flags: ApiFlags): Promise<void> {
  type Page = { upload_tokens: UploadTokenRecord[]; cursor: string | null };
  for await (const page of pages<Page>(flags, '/v1/upload-tokens', {}, (one) => one.upload_tokens.length)) {
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

async function revoke(id: string, flags: ApiFlags): Promise<void> {
  await call(flags, 'DELETE', `/v1/upload-tokens/${encodeURIComponent(id)}`);
  if (flags.json) printJson({ id, revoked: true });
  else printNote(`Revoked ${id}.`);
}

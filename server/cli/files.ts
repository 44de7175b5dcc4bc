import { randomUUID } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { baseName, encodePath } from '../../src/protocol/paths.js';
import { BlobError } from '../../src/protocol/errors.js';
import { trimEndCharacters } from '../../src/protocol/trim.js';
import type { FileRecord } from '../../src/protocol/types.js';
import { call, pages, send, withApiFlags } from './api.js';
import type { ApiFlags } from './api.js';
import { formatSize } from './bulk/format.js';
import { printFields, printJson, printNote } from './output.js';
import { metadataOption, numberOption, UsageError } from './errors.js';

interface Listing {
  files: FileRecord[];
  prefixes: string[];
  cursor: string | null;
}

interface PutFlags extends ApiFlags {
  type?: string;
  visibility?: string;
  cacheControl?: string;
  contentDisposition?: string;
  expiresAt?: string;
  metadata?: string[];
  overwrite?: boolean;
}

export function filesCommand(): Command {
  const command = new Command().description('Manage the files of the service by path.');
  const add = (name: string, description: string) => withApiFlags(command.command(name)).description(description);
  add('ls', 'list a folder').argument('[folder]').option('-r, --recursive', 'include subfolders').action(list);
  add('stat', 'show the records of files').argument('<path...>').action(show);
  add('get', 'download a file')
    .argument('<path>')
    .argument('[local]', 'file, or - for standard output (default: the name of the file)')
    .action(get);
  add('put', 'upload a file')
    .argument('<local>', 'file, or - for standard input')
    .argument('[path]', 'path, or a folder that ends in / (default: the name of the file)')
    .option('--type <media type>', 'content type (default: application/octet-stream)')
    .option('--visibility <word>', 'public or private')
    .option('--cache-control <value>')
    .option('--content-disposition <value>')
    .option('--expires-at <time>', 'time at which the file is deleted, ISO 8601')
    .option('--metadata <key=value...>')
    .option('--overwrite', 'replace an existing file')
    .action(put);
  add('rm', 'delete files').argument('<path...>').action(remove);
  for (const verb of ['mv', 'cp'] as const)
    add(verb, verb === 'mv' ? 'move a file' : 'copy a file within the service')
      .argument('<path>')
      .argument('<new path>')
      .option('--overwrite', 'replace an existing file')
      .action((path: string, target: string, flags: PutFlags) => moveOrCopy(verb, path, target, flags));
  add('link', 'create a temporary link to a file')
    .argument('<path>')
    .option('--expires-in <seconds>', 'lifetime, 1 to 604800 (default: 3600)')
    .action(link);
  return command;
}

/** Returns the record of the file at a path. @throws BlobError `FILE_NOT_FOUND` */
async function find(flags: ApiFlags, path: string): Promise<FileRecord> {
  const { files } = await call<Listing>(flags, 'GET', `/v1/files?limit=1&prefix=${encodeURIComponent(path)}`);
  const [file] = files;
  // The path itself sorts before all longer paths that begin with it.
  if (file?.path !== path) throw new BlobError('FILE_NOT_FOUND', `there is no file ${path}`);
  return file;
}

function print(flags: ApiFlags, file: FileRecord): void {
  if (flags.json) printJson(file);
  else printFields([formatSize(file.size).padStart(10), file.updated_at, file.visibility.padEnd(7), file.path].join('  '));
}

async function list(folder: string | undefined, flags: ApiFlags & { recursive?: boolean }): Promise<void> {
  const root = folder === undefined || folder === '' ? '' : `${trimEndCharacters(folder, '/')}/`;
  const query = { prefix: root, ...(!flags.recursive && { delimiter: '/' }) };
  for await (const page of pages<Listing>(flags, '/v1/files', query, ({ files, prefixes }) => files.length + prefixes.length)) {
    for (const prefix of page.prefixes)
      if (flags.json) printJson({ prefix });
      else printFields(`${''.padStart(45)}${prefix}`);
    for (const file of page.files) print(flags, file);
  }
}

/** Calls `work` for every path and prints its errors. @throws Error at the end if any path failed */
async function forEach(paths: string[], work: (path: string) => Promise<void>): Promise<void> {
  let failed = 0;
  for (const path of paths) {
    await work(path).catch((error: unknown) => {
      failed += 1;
      printNote(`svc-blob: ${path}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  if (failed > 0) throw new Error(`${failed} of ${paths.length} failed`);
}

const show = (paths: string[], flags: ApiFlags) =>
  forEach(paths, async (path) => {
    const file = await find(flags, path);
    printJson(file, flags.json ? undefined : 2);
  });

const remove = (paths: string[], flags: ApiFlags) =>
  forEach(paths, async (path) => {
    const { id } = await find(flags, path);
    await call(flags, 'DELETE', `/v1/files/${encodeURIComponent(id)}`);
    if (flags.json) printJson({ path, deleted: true });
  });

async function get(path: string, local: string | undefined, flags: ApiFlags): Promise<void> {
  const { id } = await find(flags, path);
  const response = await send(flags, 'GET', `/v1/files/${encodeURIComponent(id)}/content`);
  const bytes = Readable.fromWeb(response.body as never);
  if (local === '-') {
    await pipeline(bytes, process.stdout, { end: false });
    return;
  }
  const target = local ?? baseName(path);
  const temporary = `${target}.${randomUUID()}.part`;
  try {
    await pipeline(bytes, createWriteStream(temporary, { flags: 'wx' }));
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
  if (!flags.json) printNote(`Downloaded ${path} to ${target}.`);
}

async function put(local: string, path: string | undefined, flags: PutFlags): Promise<void> {
  const isPipe = local === '-';
  if (isPipe && (path === undefined || path.endsWith('/')))
    throw new UsageError('standard input needs a path: add the path of the file');
  if (!isPipe && !(await stat(local)).isFile()) throw new UsageError(`${local} is not a file: use svc-blob cp for folders`);
  const name = baseName(local.replaceAll('\\', '/'));
  const target = path === undefined ? name : path.endsWith('/') ? path + name : path;
  const metadata = metadataOption(flags.metadata);
  const fields = {
    visibility: flags.visibility,
    cache_control: flags.cacheControl,
    content_disposition: flags.contentDisposition,
    expires_at: flags.expiresAt,
    metadata: metadata && JSON.stringify(metadata),
    overwrite: flags.overwrite ? 'true' : undefined,
  };
  const query = new URLSearchParams(Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined));
  const response = await send(flags, 'PUT', `/v1/files/${encodePath(target)}?${query}`, {
    body: isPipe ? (Readable.toWeb(process.stdin) as ReadableStream) : await openAsBlob(local),
    headers: { 'Content-Type': flags.type ?? 'application/octet-stream' },
    duplex: 'half',
  });
  print(flags, ((await response.json()) as { response: FileRecord }).response);
}

async function moveOrCopy(verb: 'mv' | 'cp', path: string, target: string, flags: PutFlags): Promise<void> {
  const { id, name } = await find(flags, path);
  const body = { path: target.endsWith('/') ? target + name : target, overwrite: flags.overwrite ?? false };
  print(
    flags,
    await call<FileRecord>(flags, 'POST', `/v1/files/${encodeURIComponent(id)}/${verb === 'mv' ? 'move' : 'copy'}`, body),
  );
}

async function link(path: string, flags: ApiFlags & { expiresIn?: string }): Promise<void> {
  const { id } = await find(flags, path);
  const expires_in = numberOption('--expires-in', flags.expiresIn);
  const created = await call<{ url: string; expires_at: string }>(flags, 'POST', `/v1/files/${encodeURIComponent(id)}/links`, {
    ...(expires_in !== undefined && { expires_in }),
  });
  if (flags.json) printJson(created);
  else printFields(created.url);
}

import { randomUUID } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { baseName, encodePath } from '../../src/protocol/paths.js';
import { BlobError } from '../../src/protocol/errors.js';
import { trimEndOf } from '../../src/protocol/trim.js';
import type { FileRecord } from '../../src/protocol/types.js';
import { call, pages, send, withApiFlags } from './api.js';
import type { ApiFlags } from './api.js';
import { formatSize } from './bulk/format.js';
import { printFields, printJson, printNote } from './output.js';
import { metadataOption, numberOption, UsageError } from './report-failure.js';

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
  const command = new Command().description('Files of the storage, by their paths.');
  const add = (name: string, about: string) => withApiFlags(command.command(name)).description(about);
  add('ls', 'list a folder').argument('[folder]').option('-r, --recursive', 'with everything below').action(list);
  add('stat', 'show what is known of files').argument('<path...>').action(show);
  add('get', 'download a file')
    .argument('<path>')
    .argument('[local]', 'a file, or - for standard output; by default its own name')
    .action(get);
  add('put', 'upload a file')
    .argument('<local>', 'a file, or - for standard input')
    .argument('[path]', 'by default its own name; ends in / for a folder')
    .option('--type <media type>', 'application/octet-stream by default')
    .option('--visibility <word>', 'public or private')
    .option('--cache-control <value>')
    .option('--content-disposition <value>')
    .option('--expires-at <time>', 'when the file vanishes, ISO 8601')
    .option('--metadata <key=value...>')
    .option('--overwrite', 'replace what stands there')
    .action(put);
  add('rm', 'delete files').argument('<path...>').action(remove);
  for (const way of ['mv', 'cp'] as const)
    add(way, way === 'mv' ? 'move a file' : 'copy a file, without moving its bytes')
      .argument('<path>')
      .argument('<new path>')
      .option('--overwrite', 'replace what stands there')
      .action((path: string, target: string, flags: PutFlags) => transfer(way, path, target, flags));
  add('link', 'make a temporary link to a file')
    .argument('<path>')
    .option('--expires-in <seconds>', '1 to 604800, 3600 by default')
    .action(link);
  return command;
}

/** The record of the file at a path. @throws `FILE_NOT_FOUND`. */
async function find(flags: ApiFlags, path: string): Promise<FileRecord> {
  const { files } = await call<Listing>(flags, 'GET', `/v1/files?limit=1&prefix=${encodeURIComponent(path)}`);
  const [file] = files;
  // What a path begins with sorts after it.
  if (file?.path !== path) throw new BlobError('FILE_NOT_FOUND', `there is no file ${path}`);
  return file;
}

function print(flags: ApiFlags, file: FileRecord): void {
  if (flags.json) printJson(file);
  else printFields([formatSize(file.size).padStart(10), file.updated_at, file.visibility.padEnd(7), file.path].join('  '));
}

async function list(folder: string | undefined, flags: ApiFlags & { recursive?: boolean }): Promise<void> {
  const prefix = folder === undefined || folder === '' ? '' : `${trimEndOf(folder, '/')}/`;
  const query = { prefix, ...(!flags.recursive && { delimiter: '/' }) };
  for await (const page of pages<Listing>(flags, '/v1/files', query, (one) => one.files.length + one.prefixes.length)) {
    for (const one of page.prefixes)
      if (flags.json) printJson({ prefix: one });
      else printFields(`${''.padStart(45)}${one}`);
    for (const file of page.files) print(flags, file);
  }
}

/** Does it for every path, tells of each that failed, and fails at the end when one did. */
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
  const answer = await send(flags, 'GET', `/v1/files/${encodeURIComponent(id)}/content`);
  const bytes = Readable.fromWeb(answer.body as never);
  if (local === '-') {
    await pipeline(bytes, process.stdout, { end: false });
    return;
  }
  const target = local ?? baseName(path);
  const half = `${target}.${randomUUID()}.part`;
  try {
    await pipeline(bytes, createWriteStream(half, { flags: 'wx' }));
    await rename(half, target);
  } catch (cause) {
    await rm(half, { force: true });
    throw cause;
  }
  if (!flags.json) printNote(`Downloaded ${path} to ${target}.`);
}

async function put(local: string, path: string | undefined, flags: PutFlags): Promise<void> {
  const isPipe = local === '-';
  if (isPipe && (path === undefined || path.endsWith('/'))) throw new UsageError('what comes from standard input needs a path');
  if (!isPipe && !(await stat(local)).isFile()) throw new UsageError(`${local} is no file; svc-blob cp copies folders`);
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
  const answer = await send(flags, 'PUT', `/v1/files/${encodePath(target)}?${query}`, {
    body: isPipe ? (Readable.toWeb(process.stdin) as ReadableStream) : await openAsBlob(local),
    headers: { 'Content-Type': flags.type ?? 'application/octet-stream' },
    duplex: 'half',
  });
  print(flags, ((await answer.json()) as { response: FileRecord }).response);
}

async function transfer(way: 'mv' | 'cp', path: string, target: string, flags: PutFlags): Promise<void> {
  const { id, name } = await find(flags, path);
  const body = { path: target.endsWith('/') ? target + name : target, overwrite: flags.overwrite ?? false };
  print(
    flags,
    await call<FileRecord>(flags, 'POST', `/v1/files/${encodeURIComponent(id)}/${way === 'mv' ? 'move' : 'copy'}`, body),
  );
}

async function link(path: string, flags: ApiFlags & { expiresIn?: string }): Promise<void> {
  const { id } = await find(flags, path);
  const expires_in = numberOption('--expires-in', flags.expiresIn);
  const made = await call<{ url: string; expires_at: string }>(flags, 'POST', `/v1/files/${encodeURIComponent(id)}/links`, {
    ...(expires_in !== undefined && { expires_in }),
  });
  if (flags.json) printJson(made);
  else printFields(made.url);
}

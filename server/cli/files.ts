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
import { callApi, readPages, sendRequest, addApiFlags } from './api.js';
import type { ApiFlags } from './api.js';
import { formatSize } from './bulk/format.js';
import { printFields, printJson, printNote } from './output.js';
import { UsageError } from './errors.js';
import { parseMetadataFlag, parseNumberFlag } from './parse-flags.js';

/** Error of a command whose messages begin with the path. */
const NO_SUCH_FILE = 'there is no such file';

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
  const command = new Command().description('Manage the files of the service by path');
  const add = (name: string, description: string) => addApiFlags(command.command(name)).description(description);
  add('ls', 'List a folder')
    .argument('[folder]', 'folder of the service (default: the root)')
    .option('-r, --recursive', 'include subfolders')
    .alias('list')
    .action(listFolder);
  add('stat', 'Show the records of files as JSON').argument('<path...>', 'files of the service').action(showFiles);
  add('get', 'Download a file')
    .argument('<path>', 'file of the service')
    .argument('[local]', 'local file, or - for standard output (default: the name of the file)')
    .action(downloadFile);
  add('put', 'Upload a file')
    .argument('<local>', 'local file, or - for standard input')
    .argument('[path]', 'path in the service, or a folder that ends in / (default: the name of the file)')
    .option('--type <media type>', 'Content-Type of the file (default: application/octet-stream)')
    .option('--visibility <word>', 'public or private')
    .option('--cache-control <value>', 'Cache-Control of the file')
    .option('--content-disposition <value>', 'Content-Disposition of the file')
    .option('--expires-at <time>', 'time at which the file is deleted, ISO 8601')
    .option('--metadata <key=value...>', 'metadata of the file')
    .option('--overwrite', 'replace an existing file')
    .addHelpText(
      'after',
      `
Examples:
  svc-blob files put report.pdf reports/ --type application/pdf
  pg_dump shop | svc-blob files put - backups/shop.sql`,
    )
    .action(uploadFile);
  add('rm', 'Delete files').alias('delete').argument('<path...>', 'files of the service').action(removeFiles);
  for (const verb of ['mv', 'cp'] as const)
    add(verb, verb === 'mv' ? 'Move or rename a file' : 'Copy a file within the service')
      .argument('<path>', 'file of the service')
      .argument('<new path>', 'path in the service, or a folder that ends in /')
      .option('--overwrite', 'replace an existing file')
      .action((path: string, target: string, flags: PutFlags) => moveOrCopy(verb, path, target, flags));
  add('link', 'Create a temporary link to a file')
    .argument('<path>', 'file of the service')
    .option('--expires-in <seconds>', 'lifetime of the link, 1 to 604800 (default: 3600)')
    .action(createLink);
  return command;
}

/** Returns the record of the file at a path. @throws BlobError `FILE_NOT_FOUND` with the message `problem` */
async function findFile(flags: ApiFlags, path: string, problem = `there is no file ${path}`): Promise<FileRecord> {
  const { files } = await callApi<Listing>(flags, 'GET', `/v1/files?limit=1&prefix=${encodeURIComponent(path)}`);
  const [file] = files;
  // The path itself sorts before all longer paths that begin with it.
  if (file?.path !== path) throw new BlobError('FILE_NOT_FOUND', problem);
  return file;
}

function printFile(flags: ApiFlags, file: FileRecord): void {
  if (flags.json) printJson(file);
  else printFields([formatSize(file.size).padStart(10), file.updated_at, file.visibility.padEnd(7), file.path].join('  '));
}

async function listFolder(folder: string | undefined, flags: ApiFlags & { recursive?: boolean }): Promise<void> {
  const root = folder === undefined || folder === '' ? '' : `${trimEndCharacters(folder, '/')}/`;
  const query = { prefix: root, ...(!flags.recursive && { delimiter: '/' }) };
  for await (const page of readPages<Listing>(
    flags,
    '/v1/files',
    query,
    ({ files, prefixes }) => files.length + prefixes.length,
  )) {
    for (const prefix of page.prefixes)
      if (flags.json) printJson({ prefix });
      else printFields(`${''.padStart(45)}${prefix}`);
    for (const file of page.files) printFile(flags, file);
  }
}

/** Calls `work` for each path. After an error, prints the path with the error and continues. @throws Error at the end if a path failed */
async function forEachPath(paths: string[], work: (path: string) => Promise<void>): Promise<void> {
  let failed = 0;
  for (const path of paths) {
    await work(path).catch((error: unknown) => {
      failed++;
      printNote(`svc-blob: ${path}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  if (failed > 0) throw new Error(`${failed} of ${paths.length} files failed`);
}

const showFiles = (paths: string[], flags: ApiFlags) =>
  forEachPath(paths, async (path) => {
    const file = await findFile(flags, path, NO_SUCH_FILE);
    printJson(file, flags.json ? undefined : 2);
  });

const removeFiles = (paths: string[], flags: ApiFlags) =>
  forEachPath(paths, async (path) => {
    const { id } = await findFile(flags, path, NO_SUCH_FILE);
    await callApi(flags, 'DELETE', `/v1/files/${encodeURIComponent(id)}`);
    if (flags.json) printJson({ path, deleted: true });
  });

async function downloadFile(path: string, local: string | undefined, flags: ApiFlags): Promise<void> {
  const { id } = await findFile(flags, path);
  const response = await sendRequest(flags, 'GET', `/v1/files/${encodeURIComponent(id)}/content`);
  const bytes = Readable.fromWeb(response.body as never);
  if (local === '-') {
    await pipeline(bytes, process.stdout, { end: false });
    return;
  }
  const target = local ?? baseName(path);
  await writeAtomically(bytes, target);
  if (!flags.json) printNote(`Downloaded ${path} to ${target}.`);
}

/** Writes a file under a temporary name first, so that a failed download leaves no incomplete file. */
async function writeAtomically(bytes: Readable, target: string): Promise<void> {
  const temporaryFile = `${target}.${randomUUID()}.part`;
  try {
    await pipeline(bytes, createWriteStream(temporaryFile, { flags: 'wx' }));
    await rename(temporaryFile, target);
  } catch (cause) {
    await rm(temporaryFile, { force: true });
    throw cause;
  }
}

async function uploadFile(local: string, path: string | undefined, flags: PutFlags): Promise<void> {
  const isPipe = local === '-';
  if (isPipe && (path === undefined || path.endsWith('/')))
    throw new UsageError('standard input has no name: add the path of the new file');
  if (!isPipe && !(await stat(local)).isFile())
    throw new UsageError(`${local} is not a file: to upload a folder, use svc-blob cp -r`);
  const name = baseName(local.replaceAll('\\', '/'));
  const target = path === undefined || path.endsWith('/') ? (path ?? '') + name : path;
  const response = await sendRequest(flags, 'PUT', `/v1/files/${encodePath(target)}?${uploadQuery(flags)}`, {
    body: isPipe ? (Readable.toWeb(process.stdin) as ReadableStream) : await openAsBlob(local),
    headers: { 'Content-Type': flags.type ?? 'application/octet-stream' },
    duplex: 'half',
  });
  printFile(flags, ((await response.json()) as { response: FileRecord }).response);
}

/** Returns the options of an upload as query parameters. @throws UsageError for invalid metadata */
function uploadQuery(flags: PutFlags): URLSearchParams {
  const metadata = parseMetadataFlag(flags.metadata);
  const fields = {
    visibility: flags.visibility,
    cache_control: flags.cacheControl,
    content_disposition: flags.contentDisposition,
    expires_at: flags.expiresAt,
    metadata: metadata && JSON.stringify(metadata),
    overwrite: flags.overwrite ? 'true' : undefined,
  };
  return new URLSearchParams(Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

async function moveOrCopy(verb: 'mv' | 'cp', path: string, target: string, flags: PutFlags): Promise<void> {
  const { id, name } = await findFile(flags, path);
  const body = { path: target.endsWith('/') ? target + name : target, overwrite: flags.overwrite ?? false };
  printFile(
    flags,
    await callApi<FileRecord>(flags, 'POST', `/v1/files/${encodeURIComponent(id)}/${verb === 'mv' ? 'move' : 'copy'}`, body),
  );
}

async function createLink(path: string, flags: ApiFlags & { expiresIn?: string }): Promise<void> {
  const { id } = await findFile(flags, path);
  const expires_in = parseNumberFlag('--expires-in', flags.expiresIn);
  const created = await callApi<{ url: string; expires_at: string }>(flags, 'POST', `/v1/files/${encodeURIComponent(id)}/links`, {
    ...(expires_in !== undefined && { expires_in }),
  });
  if (flags.json) printJson(created);
  else printFields(created.url);
}

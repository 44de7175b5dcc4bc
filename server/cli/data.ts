import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadOptional } from '../service/runtime/load-optional.js';
import type { Core, CoreOptions } from '../service/core.js';
import { environmentVariable } from './environment.js';
import { UsageError } from './errors.js';
import { readSecret } from './secrets.js';

export interface DataFlags {
  dataDir?: string;
  databaseUrl?: string;
  databaseUrlFile?: string;
  store?: string;
}

/** Adds the flags that locate the metadata of the service. */
export const addDatabaseFlags = (command: Command): Command =>
  command
    .option('--data-dir <folder>', 'folder of the SQLite database and the files (default: ./data, env: DATA_DIR)')
    .option('--database-url <url>', 'Postgres database instead of SQLite, postgres://… (env: DATABASE_URL)')
    .option('--database-url-file <file>', 'file with that URL; - reads standard input (env: DATABASE_URL_FILE)');

/** Adds the flags that locate the metadata and the bytes of the service. */
export const addDataFlags = (command: Command): Command =>
  addDatabaseFlags(command).option('--store <url>', 'S3 bucket instead of files, s3://bucket?endpoint=… (env: BLOB_STORE)');

/** Reads `--data-dir`, `--database-url` and `--store`, or their variables. @throws UsageError */
export function readDataOptions(flags: DataFlags): CoreOptions {
  const databaseUrl = readSecret({
    flagName: '--database-url',
    flag: flags.databaseUrl,
    file: flags.databaseUrlFile,
    variableName: 'DATABASE_URL',
    isSecret: (url) => URL.canParse(url) && new URL(url).password !== '',
  });
  const store = flags.store ?? environmentVariable('BLOB_STORE');
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new UsageError('--database-url (DATABASE_URL) must be an address that begins with postgres://');
  return {
    dataDir: flags.dataDir ?? environmentVariable('DATA_DIR') ?? './data',
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(store !== undefined && { store }),
  };
}

/** Describes where the data is stored. The text contains no password. */
export function describeDataLocation(flags: DataFlags): string {
  const { databaseUrl, dataDir = './data' } = readDataOptions(flags);
  return databaseUrl === undefined ? resolve(dataDir) : `the database at ${new URL(databaseUrl).host}`;
}

export interface OpenDataOptions {
  /** Creates the data if the folder contains none. @default false */
  create?: boolean;
}

/**
 * Opens the data for commands that work on it without the service.
 * @throws UsageError if the folder contains no data and `create` is false
 * @throws Error with the install line if a package is missing
 */
export async function openData(flags: DataFlags, { create = false }: OpenDataOptions = {}): Promise<Core> {
  const { openCore } = await loadOptional('service', () => import('../service/core.js'));
  const options = readDataOptions(flags);
  const { databaseUrl, dataDir = './data' } = options;
  if (!create && databaseUrl === undefined && !existsSync(join(dataDir, 'metadata.db')))
    throw new UsageError(`${resolve(dataDir)} contains no data: set the data folder with --data-dir or DATA_DIR`);
  return openCore(options);
}

/** Opens the data for a job and closes it afterwards. @throws as `openData` does */
export async function withCore(flags: DataFlags, work: (core: Core) => Promise<void>, options?: OpenDataOptions): Promise<void> {
  const core = await openData(flags, options);
  try {
    await work(core);
  } finally {
    await core.close();
  }
}

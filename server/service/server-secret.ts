import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './runtime/durability/write-file-atomically.js';
import type { Metadata, Query } from './drivers/metadata/metadata.js';

const SECRET_BYTES = 32;
const FILE_NAME = 'secret.key';
const ROW_NAME = 'server';

/**
 * Returns the service's own secret, from which keys are derived (HKDF, one label a purpose). Beside SQLite it is a file that only the service's user
 * can read, so that a copy of the database alone opens nothing. Replicas share it through their PostgreSQL database.
 * @throws Error if the file is missing or damaged while the data depends on it.
 */
export async function serverSecret(metadata: Metadata, dataDir: string): Promise<Buffer> {
  if (metadata.dialect === 'sqlite') return secretFromFile(metadata, join(dataDir, FILE_NAME));
  const secret = decodeSecret(await secretFromDatabase(metadata));
  if (!secret) throw new Error(`the server secret in the database is not ${SECRET_BYTES} bytes in base64`);
  return secret;
}

async function secretFromFile(metadata: Metadata, path: string): Promise<Buffer> {
  const secret = decodeSecret(readSecretFile(path) ?? '');
  if (secret) return secret;
  // SQLite lets one process write at a time. If two start together, the second one reads the file that the first one created. The job
  // awaits only queries, because anything else would block a second service in this process.
  return metadata.write(async (query) => {
    const text = readSecretFile(path);
    const existing = decodeSecret(text ?? '');
    if (existing) return existing;
    // After a crash before the first use the database has no keys and no files, so nothing depends on the lost secret.
    if (await isInUse(query)) throw secretUnusable(path, text === undefined ? 'is missing' : 'is damaged');
    if (text !== undefined) renameSync(path, `${path}.damaged`);
    const created = randomBytes(SECRET_BYTES);
    writeFileAtomically(path, created.toString('base64'));
    return created;
  });
}

const secretUnusable = (path: string, problem: string) =>
  new Error(
    `the secret of this data, ${path}, ${problem}. Restore it from a backup. ` +
      `If there is none, create a new one with "openssl rand -base64 ${SECRET_BYTES} > ${path}": ` +
      'temporary links end, and S3 key pairs must be created again.',
  );

/** @returns undefined if there is no such file. */
function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const message = `the secret of this data, ${path}, cannot be read (${code}): it must belong to the user of the service`;
    throw new Error(message, { cause });
  }
}

/** @returns undefined unless the text is base64 of the right length. */
function decodeSecret(text: string): Buffer | undefined {
  const secret = Buffer.from(text, 'base64');
  return secret.length === SECRET_BYTES && secret.toString('base64') === text.trim() ? secret : undefined;
}

/** Returns whether S3 key pairs or links may exist that only this secret opens. */
async function isInUse(query: Query): Promise<boolean> {
  for (const table of ['api_keys', 's3_credentials', 'files'] as const)
    if (await query.selectFrom(table).select('id').limit(1).executeTakeFirst()) return true;
  return false;
}

async function secretFromDatabase(metadata: Metadata): Promise<string> {
  const candidate = { name: ROW_NAME, secret: randomBytes(SECRET_BYTES).toString('base64') };
  await metadata.write((query) =>
    query
      .insertInto('server_secrets')
      .values(candidate)
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute(),
  );
  const row = await metadata.db
    .selectFrom('server_secrets')
    .select('secret')
    .where('name', '=', ROW_NAME)
    .executeTakeFirstOrThrow();
  return row.secret;
}

import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata } from './metadata/metadata.js';

const BYTES = 32;
const FILE = 'secret.key';
const ROW = 'server';

/**
 * The service's own secret, from which keys are derived (HKDF, one label a purpose). Beside SQLite it is a file that only the service's user
 * can read, so that a copy of the database opens nothing; replicas share it through the PostgreSQL they share.
 */
export async function serverSecret(metadata: Metadata, dataDir: string): Promise<Buffer> {
  const secret = metadata.dialect === 'sqlite' ? await fromFile(join(dataDir, FILE)) : await fromDatabase(metadata);
  if (secret.length !== BYTES) throw new Error(`the server secret is not ${BYTES} bytes in base64`);
  return secret;
}

async function fromFile(path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(randomBytes(BYTES).toString('base64'));
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return Buffer.from(await readFile(path, 'utf8'), 'base64');
}

async function fromDatabase(metadata: Metadata): Promise<Buffer> {
  const made = { name: ROW, secret: randomBytes(BYTES).toString('base64') };
  await metadata.write((query) =>
    query
      .insertInto('server_secrets')
      .values(made)
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute(),
  );
  const row = await metadata.db.selectFrom('server_secrets').select('secret').where('name', '=', ROW).executeTakeFirstOrThrow();
  return Buffer.from(row.secret, 'base64');
}

import { trimEndCharacters } from '../../src/protocol/trim.js';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { writeFileAtomically } from '../service/runtime/durability/write-file-atomically.js';
import type { Core } from '../service/core.js';
import { printNote } from './output.js';

/**
 * Writes the link that creates the first administrator to a file that only the operator can read. The link is new at each start.
 * Once a user exists, removes the file.
 * @returns a function that prints the link.
 */
export async function publishSetupLink(
  core: Core,
  { baseUrl, dataDir = './data' }: { baseUrl: string; dataDir?: string | undefined },
): Promise<() => void> {
  const file = resolve(join(dataDir, 'setup-link'));
  const secret = await core.firstAdministrator.renewLink();
  if (secret === undefined) {
    await rm(file, { force: true });
    return () => {};
  }
  const link = `${trimEndCharacters(baseUrl, '/')}/setup#${secret}`;
  writeFileAtomically(file, `${link}\n`);
  return () => {
    printNote(`No user exists. Within 30 minutes, create the first administrator at ${link}`);
    printNote(`The link is also in ${file}. Users are optional: svc-blob keys works without them.`);
  };
}

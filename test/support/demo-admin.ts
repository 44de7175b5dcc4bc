import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

export interface DemoAdmin {
  email: string;
  password: string;
  /** Path of the file with both, readable only for its owner. */
  file: string;
  /** Whether this call created the user. */
  isNew: boolean;
}

/**
 * Returns the administrator of the demo: the stored one, or a new one while no user exists.
 * @returns undefined if the data has users of its own
 */
export async function ensureDemoAdmin(dataDir: string, env: NodeJS.ProcessEnv): Promise<DemoAdmin | undefined> {
  const file = join(dataDir, 'demo-admin');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept !== '') return { ...(JSON.parse(kept) as { email: string; password: string }), file, isNew: false };
  const run = async (...args: string[]) => {
    const { stdout } = await exec(process.execPath, ['dist/cli.js', 'users', ...args, '--json', '--data-dir', dataDir], { env });
    return stdout.trim();
  };
  const users = await run('list').catch(() => '');
  if (users !== '') return undefined;
  const created = await run('create', '--admin', '--name', 'Administrator', '--email', 'admin@localhost');
  const { email, password } = JSON.parse(created) as { email: string; password: string };
  await writeFile(file, `${JSON.stringify({ email, password })}\n`, { mode: 0o600 });
  return { email, password, file, isNew: true };
}

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

async function works(url: string, apiKey: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/stats`, { headers: { authorization: `Bearer ${apiKey}` } });
  return response.ok;
}

/**
 * A key for the demo: the one kept from last time while it works, else a new one. Only the owner of the data directory can read it.
 * @returns the key and the file that keeps it
 */
export async function readyKey(url: string, dataDir: string, env: NodeJS.ProcessEnv): Promise<{ apiKey: string; file: string }> {
  const file = join(dataDir, 'demo-key');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept !== '' && (await works(url, kept.trim()))) return { apiKey: kept.trim(), file };
  const args = ['dist/cli.js', 'keys', 'create', '--name', 'demo', '--preset', 'write', '--json', '--data-dir', dataDir];
  const { stdout } = await exec(process.execPath, args, { env });
  const { api_key: apiKey } = JSON.parse(stdout) as { api_key: string };
  await writeFile(file, `${apiKey}\n`, { mode: 0o600 });
  return { apiKey, file };
}

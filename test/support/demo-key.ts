import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

async function isAccepted(url: string, apiKey: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/stats`, { headers: { authorization: `Bearer ${apiKey}` } });
  return response.ok;
}

/**
 * Returns the API key of the demo: the stored one while the service accepts it, otherwise a new one. Only the owner of the data directory
 * can read the file.
 * @returns the key and the path of its file
 */
export async function ensureDemoKey(
  url: string,
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Promise<{ apiKey: string; file: string }> {
  const file = join(dataDir, 'demo-key');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept !== '' && (await isAccepted(url, kept.trim()))) return { apiKey: kept.trim(), file };
  const args = ['dist/cli.js', 'keys', 'create', '--name', 'demo', '--preset', 'write', '--json', '--data-dir', dataDir];
  const { stdout } = await exec(process.execPath, args, { env });
  const { api_key: apiKey } = JSON.parse(stdout) as { api_key: string };
  await writeFile(file, `${apiKey}\n`, { mode: 0o600 });
  return { apiKey, file };
}

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface SampleFile {
  name: string;
  path: string;
  size: number;
  sha256: string;
}

/** Creates a file of random bytes. */
export async function createFile(folder: string, name: string, size: number): Promise<SampleFile> {
  await mkdir(folder, { recursive: true });
  const bytes = randomBytes(size);
  const path = join(folder, name);
  await writeFile(path, bytes);
  return { name, path, size, sha256: createHash('sha256').update(bytes).digest('hex') };
}

export async function hashResponse(response: Response): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of response.body!) hash.update(chunk);
  return hash.digest('hex');
}

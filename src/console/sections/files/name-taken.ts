import type { FileRecord } from '../../../protocol/types.js';
import type { Api } from '../../api/api.js';

/** Returns whether a file or a folder has a path. A folder with files may lack a marker, so its files count. */
export async function isNameTaken(storage: Api, path: string): Promise<boolean> {
  const signal = AbortSignal.timeout(30_000);
  const firstWith = async (prefix: string): Promise<string | undefined> =>
    (await storage.get<{ files: FileRecord[] }>('/v1/files', { query: { prefix, limit: 1 }, signal })).files[0]?.path;
  const [inFolder, first] = await Promise.all([firstWith(`${path}/`), firstWith(path)]);
  return inFolder !== undefined || first === path;
}

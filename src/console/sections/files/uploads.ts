import { baseName } from '../../../protocol/paths.js';
import { toSafeFileName } from '../../../protocol/file-names.js';
import type { CreatedUploadToken, FileRecord, SuppliedToken } from '../../../protocol/types.js';
import { ApiError } from '../../api/api-error.js';
import type { Api } from '../../api/api.js';

/** Files of one token at most. */
const MAX_USES = 100;

/** Creates an upload token for a folder with the session. The browser never holds another credential. */
export async function createToken(storage: Api, prefix: string, files: number, signal: AbortSignal): Promise<SuppliedToken> {
  const body = {
    ...(prefix !== '' && { prefix: prefix.slice(0, -1) }),
    max_uses: Math.max(1, Math.min(files, MAX_USES)),
  };
  const { token, expires_at, max_uses, max_size, allowed_extensions } = await storage.post<CreatedUploadToken>(
    '/v1/upload-tokens',
    { body, signal },
  );
  return { token, url: location.origin, expires_at, max_uses, max_size, allowed_extensions };
}

/**
 * Gives an uploaded file its own name and folder. A token for a folder adds random characters to each name and knows no folders below it.
 * If another file has the path, the random name stays, so nothing is replaced.
 * @returns the path if another file has it
 * @throws ApiError if the session has ended. Another attempt is possible.
 */
export async function restorePath(
  storage: Api,
  prefix: string,
  record: FileRecord,
  file: File,
  relativePath: string,
): Promise<string | undefined> {
  const folders = relativePath
    .split('/')
    .slice(0, -1)
    .map((name) => `${toSafeFileName(name)}/`)
    .join('');
  const path = `${prefix}${folders}${toSafeFileName(file.name)}`;
  const options = { signal: AbortSignal.timeout(60_000) };
  try {
    await storage.post(`/v1/files/${record.id}/move`, { body: { path }, ...options });
    return undefined;
  } catch (error) {
    if (isSignedOut(error)) throw error;
    const kept = `${prefix}${folders}${baseName(record.path)}`;
    if (folders !== '') await storage.post(`/v1/files/${record.id}/move`, { body: { path: kept }, ...options }).catch(() => {});
    return error instanceof ApiError && error.code === 'FILE_EXISTS' ? path : undefined;
  }
}

/** Returns whether the service refused the session. */
export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

import { revalidateFile } from '../file-rules.js';
import type { QueueItem } from '../queue-item.js';
import type { UploadToken } from '../tokens/read-token.js';
import type { TokenSupply } from '../tokens/token-supply.js';
import type { Limits } from '../types.js';
import type { ActiveFiles } from './active-files.js';

interface AssignContext {
  supply: TokenSupply;
  files: ActiveFiles;
  /** The limits of the page and of the newest token. */
  limits: () => Limits;
}

/**
 * Assigns one token to all files of a request. Rejects files that the token forbids.
 * @returns the token, and the files beyond its uses, which need another one
 * @throws BlobError if no token is supplied; the reason of the request's signal
 */
export async function assignToken(
  items: readonly QueueItem[],
  request: AbortController,
  { supply, files, limits }: AssignContext,
): Promise<{ token: UploadToken; unassigned: QueueItem[] }> {
  const previous = items[0]!.token;
  // A repeated request carries the token of the first one: if the file was stored, its response comes again and no use is spent.
  if (previous?.isAlive && supply.isCurrentSource(previous) && items.every((item) => item.token === previous))
    return { token: previous, unassigned: [] };
  const wanted = items.filter((item) => item.request === request).length;
  const { token, uses } = await supply.reserveUses(wanted, request.signal);
  const unassigned: QueueItem[] = [];
  let usesLeft = uses;
  for (const item of items) {
    if (item.request !== request) continue;
    const rejection = revalidateFile(item, limits());
    if (rejection) files.close(item, { status: 'rejected', rejection });
    else if (usesLeft === 0) unassigned.push(item);
    else {
      usesLeft--;
      item.token = token;
    }
  }
  for (; usesLeft > 0; usesLeft--) supply.returnUse(token);
  return { token, unassigned };
}

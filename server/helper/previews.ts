import { BlobError } from '../../src/protocol/errors.js';
import { PREVIEW } from '../../src/protocol/limits.js';
import type { PreviewSize } from '../../src/protocol/limits.js';
import type { LinkOptions, TokenMinter } from './minter.js';

/** A page's request for previews of stored files, for `preview`. */
export interface PreviewQuestion {
  /** The HTTP request. Identify the person by its cookies or headers. Its body has been read. */
  request: Request;
  /** 1 to 50 different ids, as the page states them. The page may state ids of other people's files. */
  ids: readonly string[];
  /** Aborts when the page disconnects. */
  signal: AbortSignal;
}

/** The result of `preview`: the ids of the files that the person may see, or a refusal. */
export type VisibleIds = readonly string[] | null | undefined | false;

/**
 * Decides which stored files a person may see. Return only ids of files that belong to the person. All other ids get no link.
 * To refuse, return null or false, or throw a BlobError as in `authorize`.
 */
export type Preview = (question: PreviewQuestion) => VisibleIds | Promise<VisibleIds>;

/** A preview of a stored image: a temporary link to a small copy. */
export interface FilePreview {
  id: string;
  url: string;
}

/** Links that are created at a time. */
const CONCURRENCY = 6;

/** Returns the ids that were asked and that `preview` returned. @throws TypeError for anything but a list, for the site's log */
export function selectVisible(ids: readonly string[], visible: unknown): string[] {
  if (!Array.isArray(visible)) throw new TypeError('`preview` returned no list of ids. Return the ids that the person may see.');
  const allowed = new Set<unknown>(visible);
  return ids.filter((id) => allowed.has(id));
}

/** Creates links to the previews of files. Leaves out files that do not exist. @throws BlobError the first other error */
export async function createPreviews(
  minter: TokenMinter,
  ids: readonly string[],
  size: PreviewSize,
  signal: AbortSignal,
): Promise<FilePreview[]> {
  // The link does not open the original, which may contain a location.
  const options = { expires_in: PREVIEW.expiresIn, transform: PREVIEW.sizes[size] };
  const previews: FilePreview[] = [];
  const pending = [...ids];
  const worker = async () => {
    for (let id = pending.shift(); id !== undefined; id = pending.shift()) {
      const url = await createLink(minter, id, options, signal);
      if (url !== undefined) previews.push({ id, url });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return previews;
}

async function createLink(
  minter: TokenMinter,
  id: string,
  options: LinkOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await minter.link(id, options, { signal })).url;
  } catch (error) {
    if (error instanceof BlobError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
}

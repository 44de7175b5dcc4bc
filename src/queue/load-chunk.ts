import { BlobError } from '../protocol/errors.js';

/** By address, which fragment it is asked for with after it did not load. */
const fragments: Record<string, number> = {};

/**
 * One export of a part of the script that is loaded when it is needed: it may be out of reach now, or gone since the site was deployed
 * anew. Firefox remembers as long as the page lives that an address did not load; with a fragment it is another module of the same file.
 * @throws BlobError `NETWORK_ERROR` with `details.part`
 */
export async function loadChunk<M, K extends keyof M & string>(name: K, load: () => Promise<M>): Promise<M[K]> {
  try {
    return (await load())[name];
  } catch (cause) {
    const [address = ''] = /https?:.+/.exec(String(cause).split(/[\s)]/).at(-1)!) ?? [];
    const fragment = (fragments[address] ??= 1);
    try {
      const again = (await import(/* @vite-ignore */ /* webpackIgnore: true */ `${address}#${fragment}`)) as M;
      // A site's bundler may have given its exports other names.
      if (name in Object(again)) return again[name];
    } catch {
      fragments[address] = fragment + 1;
    }
    throw new BlobError('NETWORK_ERROR', `A part of the script did not load: ${name}.`, { details: { part: name }, cause });
  }
}

import { BlobError } from '../protocol/errors.js';

/** The fragment for the next attempt to load an address that failed. */
const nextFragments: Record<string, number> = {};

/**
 * Loads one export of a chunk. The chunk may be out of reach now, or gone since the last deployment of the site. Until the
 * page is left, browsers remember that an address did not load. With a fragment, the address is another module of the same file.
 * @throws BlobError `NETWORK_ERROR` with `details.part`
 */
export async function loadChunk<M, K extends keyof M & string>(name: K, load: () => Promise<M>): Promise<M[K]> {
  try {
    return (await load())[name];
  } catch (cause) {
    const [address = ''] = /https?:.+/.exec(String(cause).split(/[\s)]/).at(-1)!) ?? [];
    const fragment = (nextFragments[address] ??= 1);
    try {
      const reloaded = (await import(/* @vite-ignore */ /* webpackIgnore: true */ `${address}#${fragment}`)) as M;
      // The bundler of a site may have renamed the exports.
      if (name in Object(reloaded)) return reloaded[name];
    } catch {
      nextFragments[address] = fragment + 1;
    }
    throw new BlobError('NETWORK_ERROR', `A part of the script did not load: ${name}.`, { details: { part: name }, cause });
  }
}

/**
 * What a thread runs: a file beside the part of the package that this is in; tests have it built. In the bundle of somebody who does not know
 * of it there is none, and a bundle that is no module has no address. @throws where it cannot be named
 */
export const fillScript = (): URL => new URL(/* @vite-ignore */ 'fill-thread.js', import.meta.url);

/** In place of the module of that name: sources cannot be run by a thread, what is built of them can. */
export const fillScript = (): URL => new URL('../../dist/chunks/fill-thread.js', import.meta.url);

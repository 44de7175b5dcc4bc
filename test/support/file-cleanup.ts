const cleanups: (() => unknown)[] = [];

/**
 * Runs a function after the last test of the current file. A module that several test files import must not call `afterAll` itself: the
 * files share the module, so only the first one would register the hook.
 */
export function afterFile(cleanUp: () => unknown): void {
  cleanups.push(cleanUp);
}

/** Runs the functions of `afterFile` at once. */
export async function runFileCleanups(): Promise<void> {
  await Promise.all(cleanups.splice(0).map((cleanUp) => cleanUp()));
}

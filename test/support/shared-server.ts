import { build } from '../../scripts/build.js';

/**
 * Asks the run for a server that all test files share (see shared-servers.ts).
 *
 * @returns the server's details, or undefined outside a run of vitest
 * @throws Error if the server does not start
 */
export async function sharedServer<Details>(name: string): Promise<Details | undefined> {
  const broker = process.env['TEST_SERVERS'];
  if (!broker) return undefined;
  const response = await fetch(`${broker}/${name}`);
  if (!response.ok) throw new Error(`${name} did not start: ${await response.text()}`);
  return (await response.json()) as Details;
}

/** Builds `dist` if a source is newer, once per run. */
export async function useBuild(): Promise<void> {
  if ((await sharedServer('build')) === undefined) await build({ ifStale: true });
}

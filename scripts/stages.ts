import { CommandError } from './run.js';

type Stage = [name: string, run: () => Promise<unknown>];

/**
 * Runs stages one after the other until one fails, and prints how long each took. Repeats the end of a failed
 * command's output, because others may have printed much since. Sets the exit status.
 */
export async function runStages(stages: readonly Stage[]): Promise<void> {
  const minutes: string[] = [];
  for (const [name, run] of stages) {
    const start = performance.now();
    try {
      await run();
    } catch (error) {
      if (error instanceof CommandError) console.error(error.lastOutput);
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
    minutes.push(`${name} ${((performance.now() - start) / 60_000).toFixed(1)}`);
    if (process.exitCode) break;
  }
  console.log(`Minutes: ${minutes.join(', ')}`);
}

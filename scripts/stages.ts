import { CommandError } from './run.js';

export type Stage = [name: string, run: () => Promise<unknown>];

/** Stages of a group that run at once. Each starts about two busy processes, and CI has two cores: a third stage would only delay the others. */
const SIDE_BY_SIDE = 2;

/**
 * Runs groups of stages one after the other until a stage of one fails, and prints how long each stage took. The stages of a group start in order, two
 * at a time. Repeats the end of a failed command's output, because others may have printed much since. Sets the exit status.
 */
export async function runStages(...groups: Stage[][]): Promise<void> {
  const minutes: string[] = [];
  for (const group of groups) {
    const waiting = [...group];
    const runWaiting = async () => {
      for (let stage = waiting.shift(); stage; stage = waiting.shift()) minutes.push(await runStage(stage));
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, runWaiting));
    if (process.exitCode) break;
  }
  console.log(`Minutes: ${minutes.join(', ')}`);
}

/** @returns its name and minutes */
async function runStage([name, run]: Stage): Promise<string> {
  const start = performance.now();
  try {
    await run();
  } catch (error) {
    if (error instanceof CommandError) console.error(error.lastOutput);
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
  return `${name} ${((performance.now() - start) / 60_000).toFixed(1)}`;
}

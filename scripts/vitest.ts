import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, run } from './run.js';

/** Files that may run again. More failures than these have a cause that a second run only repeats. */
const MAX_REPEATED_FILES = 5;

const RETRY_REPORTER = '--reporter=./test/support/report-retries.ts';

export interface VitestRun {
  config: string;
  /** @default all projects */
  projects?: string[];
  /** @default all files */
  files?: string[];
  env?: NodeJS.ProcessEnv;
}

/**
 * Runs tests with vitest. In CI, files with a failed test run once more in new processes: the attempts of a test share a process and its services,
 * so that what the first one stored may fail the others.
 *
 * @param start `run` or `runInBackground`
 * @throws CommandError if a test fails, in CI also the second time
 */
export async function runVitest({ config, projects = [], files = [], env }: VitestRun, start = run): Promise<void> {
  const vitest = (paths: string[], flags: string[] = []) =>
    start('vitest', ['run', '--config', config, ...projects.flatMap((name) => ['--project', name]), ...flags, ...paths], env);
  if (!process.env['CI']) return vitest(files);
  const folder = await mkdtemp(join(tmpdir(), 'svc-vitest-'));
  const report = join(folder, 'report.json');
  try {
    await vitest(files, ['--reporter=default', RETRY_REPORTER, '--reporter=json', `--outputFile.json=${report}`]);
  } catch (error) {
    const failed = error instanceof CommandError ? await readFailedFiles(report) : [];
    if (failed.length === 0 || failed.length > MAX_REPEATED_FILES) throw error;
    console.log(`These files failed and run again: ${failed.join(', ')}`);
    await vitest(failed);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads which files failed. @returns none if vitest ended before it wrote its report */
async function readFailedFiles(report: string): Promise<string[]> {
  const text = await readFile(report, 'utf8').catch(() => '{"testResults":[]}');
  const { testResults } = JSON.parse(text) as { testResults: { name: string; status: string }[] };
  return [...new Set(testResults.filter(({ status }) => status === 'failed').map(({ name }) => name))];
}

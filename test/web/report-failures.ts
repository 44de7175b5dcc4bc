import { relative } from 'node:path';
import type { Reporter, TestSession, TestSuiteResult } from '@web/test-runner';

/** The parts of a test session that tell what failed. */
export type SessionOutcome = Pick<TestSession, 'testFile' | 'errors' | 'testResults'> & { browser: { name: string } };

/** Lists the failed tests of a suite with their full names and errors. */
function findFailedTests(suite: TestSuiteResult, parents = ''): string[] {
  const failed = suite.tests.filter(({ passed, skipped }) => !passed && !skipped);
  const own = failed.map(({ name, error }) => `${parents}${name}\n  ${error?.message ?? 'no error'}`);
  return own.concat(suite.suites.flatMap((inner) => findFailedTests(inner, `${parents}${inner.name} `)));
}

/** Lists failed tests and files that could not run, each with its file, browser and error. */
export function listFailures(sessions: Iterable<SessionOutcome>): string[] {
  return [...sessions].flatMap(({ testFile, browser, errors, testResults }) =>
    [...errors.map(({ message }) => `the file\n  ${message}`), ...(testResults ? findFailedTests(testResults) : [])].map(
      (failure) => `${relative('.', testFile)} in ${browser.name}: ${failure}`,
    ),
  );
}

/** Repeats all failures at the end of the output, which is all that CI keeps of a long run. */
export const failureReporter: Reporter = {
  stop: ({ sessions }) => {
    const failures = listFailures(sessions);
    if (failures.length > 0) console.error(`Failures in pages:\n${failures.join('\n')}`);
  },
};

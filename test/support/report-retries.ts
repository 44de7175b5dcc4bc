import type { Reporter, TestCase } from 'vitest/node';

/** Prints why earlier attempts of a test failed that has passed. Vitest's own reporters only count the attempts. */
export default class RetryReporter implements Reporter {
  readonly #lines: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== 'passed' || errors.length === 0) return;
    this.#lines.push(`${test.module.relativeModuleId}: ${test.fullName}`);
    for (const { message, stacks } of errors) {
      const at = stacks?.find(({ file }) => file.includes('/test/'));
      this.#lines.push(`  ${message}${at ? ` (line ${at.line})` : ''}`);
    }
  }

  onTestRunEnd(): void {
    if (this.#lines.length > 0) console.log(`Passed only at a later attempt:\n${this.#lines.join('\n')}`);
  }
}

import { describe, expect, it } from 'vitest';
import { listFailures } from '../web/report-failures.js';

const passed = { name: 'works', passed: true, skipped: false };
const skipped = { name: 'is left out', passed: false, skipped: true };
const failed = (message: string) => ({ name: 'stops', passed: false, skipped: false, error: { message } });

describe('the end of the output of page tests', () => {
  it('repeats each failed test with its file, browser and error', () => {
    const suite = { name: 'the camera', tests: [passed, skipped, failed('expected 1 to equal 2')], suites: [] };
    const testResults = { name: '', tests: [], suites: [suite] };
    const sessions = [
      { testFile: `${process.cwd()}/test/web/camera.test.ts`, browser: { name: 'Firefox' }, errors: [], testResults },
      {
        testFile: 'test/web/other.test.ts',
        browser: { name: 'Chromium' },
        errors: [],
        testResults: { ...suite, tests: [passed] },
      },
    ];
    expect(listFailures(sessions)).toEqual(['test/web/camera.test.ts in Firefox: the camera stops\n  expected 1 to equal 2']);
  });

  it('repeats why a file could not run', () => {
    const errors = [{ message: 'Could not import your test module.' }];
    expect(listFailures([{ testFile: 'test/web/a.test.ts', browser: { name: 'WebKit' }, errors }])).toEqual([
      'test/web/a.test.ts in WebKit: the file\n  Could not import your test module.',
    ]);
  });
});

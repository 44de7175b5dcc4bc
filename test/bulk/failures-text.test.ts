import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { failuresText } from '../../server/cli/bulk/failures-text.js';
import { makeReporter } from '../../server/cli/bulk/reporter.js';
import { S3Error } from '../../src/bulk/errors.js';

const createFailure = (name: string, message: string, code = 'SourceUnreadable') =>
  ({ action: 'upload', name, code, message, advice: 'Look.', tries: 1, status: 0, error: new S3Error(code, message) }) as const;
const reasonLines = (...failures: Parameters<typeof failuresText>[0]) =>
  failuresText(failures)
    .split('\n')
    .filter((line) => /^ {2}\S/.test(line));

describe('failuresText', () => {
  it('replaces the file name in a message, but not inside other words', () => {
    expect(reasonLines(createFailure('e', "ENOENT: no such file or directory, stat '/tmp/e/e'"))[0]).toBe(
      "  SourceUnreadable: ENOENT: no such file or directory, stat '…'",
    );
    expect(reasonLines(createFailure('a', '/tmp/audit/a: EISDIR: illegal operation on a directory'))[0]).toBe(
      '  SourceUnreadable: EISDIR: illegal operation on a directory',
    );
    expect(reasonLines(createFailure('', "ENOENT: stat '/tmp'"))[0]).toBe("  SourceUnreadable: ENOENT: stat '/tmp'");
    expect(reasonLines(createFailure('of', 'The end of it.'))[0]).toBe('  SourceUnreadable: The end of it.');
  });

  it('groups failures with the same reason, whatever the names are', () => {
    const names = ['k', 'file', 'a (1)+[x]$.txt', "it's", 'deep/er/k', 'line\nbreak'];
    for (const [before, after] of [
      ['', ' is missing in the store.'],
      ['p/', ' is gone.'],
      ['/home/some one/', ': ENOSPC: no space left on device, write'],
      ["ENOENT: no such file or directory, open '/x/", "'"],
    ])
      expect(reasonLines(...names.map((name) => createFailure(name, `${before}${name}${after}`)))).toHaveLength(2);
  });

  it('replaces a path in a message that differs from the key', () => {
    const failures = ['f1', 'f2'].map((name) =>
      createFailure(`other/${name}`, `EACCES: permission denied, open '/home/perm/${name}'`),
    );
    expect(reasonLines(...failures)).toEqual(["  SourceUnreadable: EACCES: permission denied, open '…'", '  Look.']);
  });

  it('names 20 of 1,000 failed files', () => {
    const text = failuresText(Array.from({ length: 1000 }, (_, i) => createFailure(`f${i}`, `f${i} is gone.`)));
    expect(text).toBe(
      `\nFailed:\n  SourceUnreadable: … is gone.\n  Look.\n${Array.from({ length: 20 }, (_, i) => `    f${i}\n`).join('')}    and 980 more\n`,
    );
  });
});

describe('makeReporter', () => {
  it('prints each failure once when it happens', () => {
    const err = new PassThrough();
    const reporter = makeReporter({}, process.stdout, err as unknown as NodeJS.WriteStream);
    for (const failure of [createFailure('a/b', 'a/b: gone.'), createFailure('c', 'cut off')])
      reporter.reportEvent({ type: 'failed', ...failure });
    expect(String(err.read())).toBe('failed: a/b: gone.\nfailed: c: cut off\n');
  });

  it('reports only the first slow retry, unless -v is given', () => {
    const err = new PassThrough();
    const retry = { type: 'retry', name: 'a', tries: 1 } as const;
    const report = (flags: Parameters<typeof makeReporter>[0]) => {
      const reporter = makeReporter(
        flags,
        new PassThrough() as unknown as NodeJS.WriteStream,
        err as unknown as NodeJS.WriteStream,
      );
      reporter.reportEvent({ ...retry, code: 'InternalError', message: 'In a moment.', delayMs: 100 });
      for (const name of ['a', 'b'])
        reporter.reportEvent({ ...retry, name, code: 'Stalled', message: 'No byte moved for 60 s.', delayMs: 100 });
      reporter.reportEvent({ ...retry, code: 'InternalError', message: 'We failed.', delayMs: 2000 });
      return String(err.read() ?? '');
    };
    expect(report({})).toBe('a request failed and is retried (-v prints every retry): No byte moved for 60 s.\n');
    expect(report({ quiet: true })).toBe('');
    expect(report({ json: true })).toBe('');
    expect(report({ verbose: true })).toMatch(/^(retry 1 of [ab] after \w+\n){4}$/);
  });

  it.each([
    ['xterm', true],
    ['dumb', false],
  ])('shows progress only on terminals that can redraw lines: %s', (name, redraws) => {
    vi.stubEnv('TERM', name);
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    expect(makeReporter({}, process.stdout, terminal as unknown as NodeJS.WriteStream).wantsProgress).toBe(redraws);
    vi.unstubAllEnvs();
  });
});

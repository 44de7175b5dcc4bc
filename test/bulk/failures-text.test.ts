import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { failuresText } from '../../server/cli/bulk/failures-text.js';
import { makeReporter } from '../../server/cli/bulk/reporter.js';
import { S3Error } from '../../src/bulk/errors.js';

const failed = (name: string, message: string, code = 'SourceUnreadable') =>
  ({ action: 'upload', name, code, message, advice: 'Look.', tries: 1, status: 0, error: new S3Error(code, message) }) as const;
const heads = (...failures: Parameters<typeof failuresText>[0]) =>
  failuresText(failures)
    .split('\n')
    .filter((line) => /^ {2}\S/.test(line));

describe('the list of failures', () => {
  it('leaves words whole that hold a name', () => {
    expect(heads(failed('e', "ENOENT: no such file or directory, stat '/tmp/e/e'"))[0]).toBe(
      "  SourceUnreadable: ENOENT: no such file or directory, stat '…'",
    );
    expect(heads(failed('a', '/tmp/audit/a: EISDIR: illegal operation on a directory'))[0]).toBe(
      '  SourceUnreadable: EISDIR: illegal operation on a directory',
    );
    expect(heads(failed('', "ENOENT: stat '/tmp'"))[0]).toBe("  SourceUnreadable: ENOENT: stat '/tmp'");
    expect(heads(failed('of', 'The end of it.'))[0]).toBe('  SourceUnreadable: The end of it.');
  });

  it('has one line for one reason, whatever the names are', () => {
    const names = ['k', 'file', 'a (1)+[x]$.txt', "it's", 'deep/er/k', 'line\nbreak'];
    for (const [before, after] of [
      ['', ' is missing in the store.'],
      ['p/', ' is gone.'],
      ['/home/some one/', ': ENOSPC: no space left on device, write'],
      ["ENOENT: no such file or directory, open '/x/", "'"],
    ])
      expect(heads(...names.map((name) => failed(name, `${before}${name}${after}`)))).toHaveLength(2);
  });

  it('knows a file by its path, whatever its object is called', () => {
    const failures = ['f1', 'f2'].map((name) => failed(`other/${name}`, `EACCES: permission denied, open '/home/perm/${name}'`));
    expect(heads(...failures)).toEqual(["  SourceUnreadable: EACCES: permission denied, open '…'", '  Look.']);
  });

  it('names twenty of a thousand', () => {
    const text = failuresText(Array.from({ length: 1000 }, (_, i) => failed(`f${i}`, `f${i} is gone.`)));
    expect(text).toBe(
      `\nFailed:\n  SourceUnreadable: … is gone.\n  Look.\n${Array.from({ length: 20 }, (_, i) => `    f${i}\n`).join('')}    and 980 more\n`,
    );
  });
});

it('names what fails once, as it happens', () => {
  const err = new PassThrough();
  const reporter = makeReporter({}, process.stdout, err as unknown as NodeJS.WriteStream);
  for (const failure of [failed('a/b', 'a/b: gone.'), failed('c', 'cut off')])
    reporter.reportEvent({ type: 'failed', ...failure });
  expect(String(err.read())).toBe('failed: a/b: gone.\nfailed: c: cut off\n');
});

it('says once that something is tried again, where that takes long', () => {
  const err = new PassThrough();
  const retry = { type: 'retry', name: 'a', tries: 1 } as const;
  const told = (flags: Parameters<typeof makeReporter>[0]) => {
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
  expect(told({})).toBe('a request failed and is retried (-v prints every retry): No byte moved for 60 s.\n');
  expect(told({ quiet: true })).toBe('');
  expect(told({ json: true })).toBe('');
  expect(told({ verbose: true })).toMatch(/^(retry 1 of [ab] after \w+\n){4}$/);
});

it.each([
  ['xterm', true],
  ['dumb', false],
])('redraws lines where a terminal can: %s', (name, redraws) => {
  vi.stubEnv('TERM', name);
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  expect(makeReporter({}, process.stdout, terminal as unknown as NodeJS.WriteStream).wantsProgress).toBe(redraws);
  vi.unstubAllEnvs();
});

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

// Without a build there is nothing to install.
describe.skipIf(!existsSync('dist/cli.js'))('svc-blob without optional packages', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-plain-'));
    const home = join(folder, 'node_modules/svc-uploader');
    mkdirSync(home, { recursive: true });
    cpSync('dist', join(home, 'dist'), { recursive: true });
    cpSync('package.json', join(home, 'package.json'));
    writeFileSync(join(folder, 'one.txt'), 'one');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const runInstalled = (...args: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: folder, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'x' };
    return spawnSync(process.execPath, ['node_modules/svc-uploader/dist/cli.js', ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
  };

  it.each([['--help'], ['serve', '--help'], ['keys', '--help'], ['cp', '--help'], ['completion', 'bash']])(
    'runs %s %s',
    (...args) => {
      const { status, stdout, stderr } = runInstalled(...args);
      expect(stderr).toBe('');
      expect(stdout).toMatch(/svc-blob/);
      expect(status).toBe(0);
    },
  );

  it.each([['serve'], ['keys', 'list'], ['scrub']])('names the npm install line that %s %s needs', (...args) => {
    const { status, stderr } = runInstalled(...args);
    expect(stderr).toMatch(/^svc-blob: .*Run: npm install fastify .*\n$/);
    expect(status).toBe(1);
  });

  it('copies a small file, which takes one request', () => {
    const { status, stderr } = runInstalled('cp', 'one.txt', 's3://bucket/one.txt', '--endpoint', 'http://127.0.0.1:1');
    expect(stderr).toContain('ECONNREFUSED');
    expect(status).toBe(1);
  });
});

const PROGRAM = `
import { awsSettings, createBulkTransfer, FolderTarget, proxyFromEnvironment, walk } from 'svc-uploader/s3';
export const bulk = createBulkTransfer({ ...awsSettings(process.env), proxy: proxyFromEnvironment(process.env) });
export const [files, target] = [walk('photos'), new FolderTarget('photos')];
`;
const COMPILER_OPTIONS = {
  target: 'es2022',
  lib: ['es2023'],
  types: ['node'],
  strict: true,
  skipLibCheck: false,
  noEmit: true,
};

describe.skipIf(!existsSync('dist/cli.js'))('a Node program that imports svc-uploader/s3', () => {
  it.each([
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler', customConditions: ['node'] },
  ])(
    'compiles without types of browsers: %j',
    (resolution) => {
      // The folder lies in the package, so that the package's own name leads to the build.
      const folder = mkdtempSync(resolve('dist/project-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const project = { compilerOptions: { ...COMPILER_OPTIONS, ...resolution }, files: ['program.ts'] };
      writeFileSync(join(folder, 'program.ts'), PROGRAM);
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
      const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

      const { stdout, status } = spawnSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', folder], { encoding: 'utf8' });

      expect([stdout, status]).toEqual(['', 0]);
    },
    60_000,
  );
});

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Without a build there is nothing to install.
describe.skipIf(!existsSync('dist/cli.js'))('the commands where only the package itself is installed', () => {
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

  const svcBlob = (...args: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: folder, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'x' };
    return spawnSync(process.execPath, ['node_modules/svc-uploader/dist/cli.js', ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
  };

  it.each([['--help'], ['serve', '--help'], ['keys', '--help'], ['cp', '--help'], ['completion', 'bash']])(
    '%s %s works',
    (...args) => {
      const { status, stdout, stderr } = svcBlob(...args);
      expect(stderr).toBe('');
      expect(stdout).toMatch(/svc-blob/);
      expect(status).toBe(0);
    },
  );

  it.each([['serve'], ['keys', 'list'], ['scrub']])('%s %s names the one line that installs the service', (...args) => {
    const { status, stderr } = svcBlob(...args);
    expect(stderr).toMatch(/^svc-blob: .*Run: npm install fastify .*\n$/);
    expect(status).toBe(1);
  });

  it('cp needs nothing more for what one request does', () => {
    const { status, stderr } = svcBlob('cp', 'one.txt', 's3://bucket/one.txt', '--endpoint', 'http://127.0.0.1:1');
    expect(stderr).toContain('ECONNREFUSED');
    expect(status).toBe(1);
  });
});

const PROGRAM = `
import { awsSettings, createBulkTransfer, FolderTarget, proxyFromEnvironment, walk } from 'svc-uploader/s3';
export const bulk = createBulkTransfer({ ...awsSettings(process.env), proxy: proxyFromEnvironment(process.env) });
export const [files, target] = [walk('photos'), new FolderTarget('photos')];
`;

it.skipIf(!existsSync('dist/cli.js'))(
  'a program of Node that knows no browser compiles, as the docs say it',
  () => {
    // Within the package, so that its name leads to what is built.
    const folder = mkdtempSync(resolve('dist/project-'));
    try {
      writeFileSync(join(folder, 'program.ts'), PROGRAM);
      const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
      for (const resolution of [
        { module: 'nodenext', moduleResolution: 'nodenext' },
        { module: 'esnext', moduleResolution: 'bundler', customConditions: ['node'] },
      ]) {
        const compilerOptions = {
          target: 'es2022',
          lib: ['es2023'],
          types: ['node'],
          strict: true,
          skipLibCheck: false,
          noEmit: true,
        };
        writeFileSync(
          join(folder, 'tsconfig.json'),
          JSON.stringify({ compilerOptions: { ...compilerOptions, ...resolution }, files: ['program.ts'] }),
        );
        const { stdout, status } = spawnSync(process.execPath, [join(dirname(typescript), 'bin/tsc'), '-p', folder], {
          encoding: 'utf8',
        });
        expect([stdout, status]).toEqual(['', 0]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  60_000,
);

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const COMPILER = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  jsx: 'react-jsx',
  strict: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
  // Without this option, a link would lead to packages that the project does not have.
  preserveSymlinks: true,
};

let project: string;

/** Links a package, and makes the folder of its scope. */
async function link(name: string, target = resolve('node_modules', name)): Promise<void> {
  const place = join(project, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(target, place);
}

/** A project that has what the package depends on and React, and none of the other optional peers. */
async function makeProject(): Promise<void> {
  project = await mkdtemp(join(tmpdir(), 'svc-strict-'));
  const names = (await readdir('node_modules')).filter((name) => !/^[.@]/.test(name));
  for (const scope of ['@lit', '@lit-labs', '@uppy'])
    names.push(...(await readdir(join('node_modules', scope))).map((name) => `${scope}/${name}`));
  const { peerDependenciesMeta } = JSON.parse(await readFile('package.json', 'utf8')) as { peerDependenciesMeta: object };
  const absent = new Set(Object.keys(peerDependenciesMeta).filter((name) => name !== 'react'));
  for (const name of [...names, '@types/react', '@types/trusted-types']) if (!absent.has(name)) await link(name);
  for (const file of ['dist', 'package.json']) await link(`svc-uploader/${file}`, resolve(file));
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
}

/** Compiles files in the project. @returns the errors, or an empty text */
async function findTypeErrors(texts: readonly string[], module: string): Promise<string> {
  const moduleResolution = module === 'esnext' ? 'bundler' : module;
  const compilerOptions = { ...COMPILER, module, moduleResolution };
  const files = texts.map((_, index) => `main-${index}.tsx`);
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  for (const [index, file] of files.entries()) await writeFile(join(project, file), texts[index]!);
  const checked = await promisify(execFile)(resolve('node_modules/.bin/tsc'), ['-p', project]).catch(
    (error: { stdout: string }) => error,
  );
  return checked.stdout;
}

const PROJECTS = [
  [
    'svc-uploader',
    `import 'svc-uploader';
       import { BlobError, type SvcUploader, type Transport } from 'svc-uploader';
       const el: SvcUploader = document.createElement('svc-uploader');
       el.addEventListener('svc-upload-success', ({ detail }) => console.log(detail.record.path));
       export const error: BlobError = new BlobError('NETWORK_ERROR', 'No connection.');
       export const transport: Transport | null = el.transport;`,
  ],
  [
    'svc-uploader/react',
    `import { SvcUploader } from 'svc-uploader/react';
       import 'svc-uploader/types/react';
       export const App = () => (
         <form>
           <SvcUploader name="doc" multiple onSvcUploadSuccess={({ detail }) => console.log(detail.record.path)} />
           <svc-uploader name="doc" multiple />
         </form>
       );`,
  ],
  ['svc-uploader/element', `import { SvcUploader } from 'svc-uploader/element'; export const tag = SvcUploader;`],
  ['svc-uploader/server', `import { createTokenMinter } from 'svc-uploader/server'; export const make = createTokenMinter;`],
];

/** The declarations for Node need its types, so only a bundler's resolution leads to those for pages. */
const WITH_S3 = [
  'svc-uploader/s3',
  `import 'svc-uploader';
   import { createBulkTransfer, s3Transport } from 'svc-uploader/s3';
   const bulk = createBulkTransfer({ credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
   document.createElement('svc-uploader').transport = s3Transport(bulk, { bucket: 'photos', prefix: '' });`,
];

// Without a build there is nothing to see.
describe.skipIf(!existsSync('dist/index.js'))('a strict project without the optional peers, which checks declarations', () => {
  beforeAll(makeProject);
  afterAll(() => rm(project, { recursive: true, force: true }));

  it.each([...PROJECTS, WITH_S3])('compiles %s with a bundler', async (_name, text) => {
    expect(await findTypeErrors([text!], 'esnext')).toBe('');
  });

  // One compilation is enough: the tests above show that each file compiles alone.
  it('compiles all of them with the resolution of Node', async () => {
    const texts = PROJECTS.map(([, text]) => text!);
    expect(await findTypeErrors(texts, 'nodenext')).toBe('');
  });
});

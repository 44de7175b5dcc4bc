import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { importsOf, sourceFiles } from './source-files.js';

/** A folder and its allowed imports. A file belongs to the first layer whose path begins its own. */
interface Layer {
  path: string;
  /** Paths of folders and files that may be imported, types included. */
  imports: string[];
  /** Names of packages; `node` stands for Node's own modules. */
  packages: string[] | 'any';
}

const SERVICE = 'server/service';
/** Everything below the interfaces of the service. */
const SEMANTICS = [
  'storage',
  'identity',
  'sharing',
  'images',
  'webhooks',
  'outbound',
  'http',
  'runtime',
  'core.ts',
  'options.ts',
].map((name) => `${SERVICE}/${name}`);

/** The layers of the repository, from the bottom to the top. `docs/explanation/architecture.md` explains them. */
export const LAYERS: Layer[] = [
  { path: 'src/protocol', imports: [], packages: [] },
  { path: 'src/images', imports: ['src/protocol'], packages: [] },
  { path: 'src/queue', imports: ['src/protocol'], packages: ['@uppy/core', '@uppy/xhr-upload'] },
  { path: 'src/element', imports: ['src/queue', 'src/images', 'src/protocol'], packages: ['lit', '@lit/react', 'react'] },
  { path: 'src/console', imports: ['src/element/index.ts', 'src/protocol'], packages: ['lit'] },
  { path: 'src/bulk/node', imports: ['src/bulk', 'src/protocol'], packages: ['node', '@aws-sdk/client-s3'] },
  { path: 'src/bulk', imports: ['src/protocol'], packages: ['@aws-sdk/client-s3'] },
  { path: 'server/helper', imports: ['src/protocol'], packages: [] },
  { path: `${SERVICE}/runtime`, imports: ['src/protocol'], packages: ['node'] },
  { path: `${SERVICE}/drivers/bytes`, imports: [`${SERVICE}/runtime`, 'src/protocol'], packages: ['node', '@aws-sdk/client-s3'] },
  {
    path: `${SERVICE}/drivers/metadata`,
    imports: [`${SERVICE}/runtime`, 'src/protocol'],
    packages: ['node', 'kysely', 'pg', 'libsql'],
  },
  {
    path: `${SERVICE}/identity`,
    imports: [`${SERVICE}/drivers/metadata`, `${SERVICE}/runtime`, 'src/protocol'],
    packages: ['node', 'kysely'],
  },
  {
    path: `${SERVICE}/storage`,
    imports: [`${SERVICE}/identity`, `${SERVICE}/drivers`, `${SERVICE}/runtime`, 'src/protocol'],
    packages: ['node', 'kysely'],
  },
  {
    path: `${SERVICE}/sharing`,
    imports: [`${SERVICE}/storage`, `${SERVICE}/identity`, `${SERVICE}/drivers/metadata`, `${SERVICE}/runtime`, 'src/protocol'],
    packages: ['node', 'kysely'],
  },
  { path: `${SERVICE}/outbound`, imports: [`${SERVICE}/runtime`, 'src/protocol'], packages: ['node'] },
  {
    path: `${SERVICE}/webhooks`,
    imports: [
      `${SERVICE}/outbound`,
      `${SERVICE}/storage`,
      `${SERVICE}/identity`,
      `${SERVICE}/drivers/metadata`,
      `${SERVICE}/runtime`,
      'src/protocol',
    ],
    packages: ['node', 'kysely'],
  },
  { path: `${SERVICE}/scanning`, imports: [`${SERVICE}/storage`, `${SERVICE}/runtime`], packages: ['node'] },
  {
    path: `${SERVICE}/images`,
    imports: [`${SERVICE}/storage`, `${SERVICE}/runtime`, 'src/protocol'],
    packages: ['node', 'sharp'],
  },
  {
    path: `${SERVICE}/http`,
    imports: [`${SERVICE}/storage`, `${SERVICE}/identity`, `${SERVICE}/runtime`, 'src/protocol'],
    packages: ['node', 'fastify', 'prom-client'],
  },
  {
    path: `${SERVICE}/rest`,
    imports: [...SEMANTICS, 'src/protocol'],
    packages: ['node', 'fastify', '@fastify/cookie', '@fastify/type-provider-typebox', 'busboy', 'fast-json-stringify'],
  },
  {
    path: `${SERVICE}/s3`,
    imports: [
      ...['storage', 'identity', 'sharing', 'http', 'runtime', 'core.ts', 'options.ts'].map((name) => `${SERVICE}/${name}`),
      'src/protocol',
    ],
    packages: ['node', 'fastify', 'busboy', 'fast-xml-parser'],
  },
  { path: SERVICE, imports: ['src/protocol'], packages: 'any' },
  // The commands import single modules of the engine and of the service, so that each command loads only what it needs.
  { path: 'server/cli', imports: ['src/bulk', 'src/protocol', SERVICE], packages: 'any' },
  { path: 'fault-proxy', imports: [], packages: ['node'] },
  { path: 'demo', imports: ['src', 'server', 'fault-proxy'], packages: 'any' },
  { path: 'scripts', imports: ['src', 'server', 'demo', 'fault-proxy', 'test/support'], packages: 'any' },
];

const inside = (file: string, path: string) => file === path || file.startsWith(`${path}/`);

/** @returns one line for every import, of a value or a type, that the layers do not allow. */
export async function checkImports(): Promise<string[]> {
  const problems: string[] = [];
  for (const file of await sourceFiles()) {
    problems.push(...findForbiddenImports(file, await readFile(file, 'utf8')));
  }
  return problems;
}

/** @returns one line for every import of a file with this text that its layer does not allow. */
export function findForbiddenImports(file: string, text: string): string[] {
  const layer = LAYERS.find(({ path }) => inside(file, path));
  if (!layer) return [`${file}: belongs to no layer; add its folder to scripts/checks/imports.ts`];
  const problems = importsOf(file, text).map((target) => importProblem(layer, target));
  return problems.flatMap((problem) => (problem === undefined ? [] : [`${file}: ${problem}`]));
}

function importProblem(layer: Layer, { path, name }: { path?: string; name?: string }): string | undefined {
  if (path !== undefined) {
    if (inside(path, layer.path) || layer.imports.some((allowed) => inside(path, allowed))) return undefined;
    return `imports ${path}; ${layer.path} may import ${layer.imports.join(', ') || 'nothing else'}`;
  }
  if (layer.packages === 'any') return undefined;
  const allowed = builtinModules.includes(name!.replace(/^node:/, '')) ? 'node' : name!;
  if (layer.packages.includes(allowed)) return undefined;
  return `imports the package ${name}; ${layer.path} may import ${layer.packages.join(', ') || 'no package'}`;
}

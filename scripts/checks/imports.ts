import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { importsOf, sourceFiles } from './source-files.js';

/** A folder and its allowed imports. A file belongs to the first room whose path begins its own. */
interface Room {
  path: string;
  /** Paths of folders and files that may be imported, types included. */
  rooms: string[];
  /** Names of packages; `node` stands for Node's own modules. */
  packages: string[] | 'any';
}

const SERVICE = 'server/service';
/** Everything below the interfaces of the service. */
const SEMANTICS = ['storage', 'identity', 'sharing', 'http', 'runtime', 'core.ts', 'options.ts'].map(
  (name) => `${SERVICE}/${name}`,
);

/** The layers of the repository, from the bottom to the top. `docs/explanation/architecture.md` explains them. */
export const ROOMS: Room[] = [
  { path: 'src/protocol', rooms: [], packages: [] },
  { path: 'src/images', rooms: ['src/protocol'], packages: [] },
  { path: 'src/queue', rooms: ['src/protocol'], packages: ['@uppy/core', '@uppy/xhr-upload'] },
  { path: 'src/element', rooms: ['src/queue', 'src/images', 'src/protocol'], packages: ['lit', '@lit/react', 'react'] },
  { path: 'src/bulk/node', rooms: ['src/bulk', 'src/protocol'], packages: ['node', '@aws-sdk/client-s3'] },
  { path: 'src/bulk', rooms: ['src/protocol'], packages: ['@aws-sdk/client-s3'] },
  { path: 'server/helper', rooms: ['src/protocol'], packages: [] },
  { path: `${SERVICE}/runtime`, rooms: ['src/protocol'], packages: ['node'] },
  { path: `${SERVICE}/drivers/bytes`, rooms: [`${SERVICE}/runtime`, 'src/protocol'], packages: ['node', '@aws-sdk/client-s3'] },
  {
    path: `${SERVICE}/drivers/metadata`,
    rooms: [`${SERVICE}/runtime`, 'src/protocol'],
    packages: ['node', 'kysely', 'pg', 'libsql'],
  },
  {
    path: `${SERVICE}/identity`,
    rooms: [`${SERVICE}/drivers/metadata`, `${SERVICE}/runtime`, 'src/protocol'],
    packages: ['node', 'kysely'],
  },
  {
    path: `${SERVICE}/storage`,
    rooms: [`${SERVICE}/identity`, `${SERVICE}/drivers`, `${SERVICE}/runtime`, 'src/protocol'],
    packages: ['node', 'kysely'],
  },
  {
    path: `${SERVICE}/sharing`,
    rooms: [`${SERVICE}/storage`, `${SERVICE}/identity`, `${SERVICE}/drivers/metadata`, `${SERVICE}/runtime`, 'src/protocol'],
    packages: ['node', 'kysely'],
  },
  {
    path: `${SERVICE}/http`,
    rooms: [`${SERVICE}/storage`, `${SERVICE}/identity`, `${SERVICE}/runtime`, 'src/protocol'],
    packages: 'any',
  },
  { path: `${SERVICE}/rest`, rooms: [...SEMANTICS, 'src/protocol'], packages: 'any' },
  { path: `${SERVICE}/s3`, rooms: [...SEMANTICS, 'src/protocol'], packages: 'any' },
  { path: SERVICE, rooms: ['src/protocol'], packages: 'any' },
  // The commands import single modules of the engine and of the service, so that each command loads only what it needs.
  { path: 'server/cli', rooms: ['src/bulk', 'src/protocol', SERVICE], packages: 'any' },
  { path: 'fault-proxy', rooms: [], packages: ['node'] },
  { path: 'demo', rooms: ['src', 'server', 'fault-proxy'], packages: 'any' },
  { path: 'scripts', rooms: ['src', 'server', 'demo', 'fault-proxy', 'test/support'], packages: 'any' },
];

const inside = (file: string, path: string) => file === path || file.startsWith(`${path}/`);

/** @returns one line for every import, of a value or a type, that the layers do not allow */
export async function checkImports(): Promise<string[]> {
  const problems: string[] = [];
  for (const file of await sourceFiles()) {
    const room = ROOMS.find(({ path }) => inside(file, path));
    if (!room) {
      problems.push(`${file}: belongs to no room; add its folder to scripts/checks/imports.ts`);
      continue;
    }
    for (const target of importsOf(file, await readFile(file, 'utf8'))) {
      const problem = importProblem(room, target);
      if (problem) problems.push(`${file}: ${problem}`);
    }
  }
  return problems;
}

function importProblem(room: Room, { path, name }: { path?: string; name?: string }): string | undefined {
  if (path !== undefined) {
    if (inside(path, room.path) || room.rooms.some((allowed) => inside(path, allowed))) return undefined;
    return `imports ${path}; ${room.path} may import ${room.rooms.join(', ') || 'nothing else'}`;
  }
  if (room.packages === 'any') return undefined;
  const allowed = builtinModules.includes(name!.replace(/^node:/, '')) ? 'node' : name!;
  if (room.packages.includes(allowed)) return undefined;
  return `imports the package ${name}; ${room.path} may import ${room.packages.join(', ') || 'no package'}`;
}

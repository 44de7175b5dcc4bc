import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { builtinModules } from 'node:module';

/** Which rooms a room may import, and which packages. The first row whose folder holds the file decides. */
interface Room {
  folder: string;
  rooms: string[];
  /** Package names; `node` stands for Node's own modules. */
  packages: string[] | 'any';
}

const SERVICE_PACKAGES: string[] | 'any' = 'any';

export const ROOMS: Room[] = [
  { folder: 'src/protocol', rooms: [], packages: [] },
  { folder: 'src/engine', rooms: ['src/protocol'], packages: ['@uppy/core', '@uppy/xhr-upload', '@uppy/utils', 'tus-js-client'] },
  { folder: 'src/form', rooms: ['src/protocol'], packages: ['lit'] },
  { folder: 'src/s3/node', rooms: ['src/protocol', 'src/s3'], packages: 'any' },
  { folder: 'src/s3', rooms: ['src/protocol'], packages: ['@aws-sdk/client-s3'] },
  { folder: 'src/uploader', rooms: ['src/engine', 'src/form', 'src/protocol'], packages: ['lit', '@lit/react', 'react'] },
  { folder: 'server/helper', rooms: ['src/protocol'], packages: [] },
  // Drivers know nothing above them.
  {
    folder: 'server/service/bytes',
    rooms: ['src/protocol', 'server/service/durability', 'server/service/workers'],
    packages: ['node', '@aws-sdk/client-s3'],
  },
  {
    folder: 'server/service/metadata',
    rooms: ['src/protocol', 'server/service/durability'],
    packages: ['node', 'kysely', 'pg', 'libsql'],
  },
  { folder: 'server/cli', rooms: ['src/protocol', 'src/s3', 'server'], packages: SERVICE_PACKAGES },
  { folder: 'server', rooms: ['src/protocol', 'server'], packages: SERVICE_PACKAGES },
];

/** Folders whose files may not reach these folders: bytes and metadata meet in blobs.ts alone. */
const CLOSED: { from: string; to: string }[] = [
  { from: 'server/service/routes', to: 'server/service/bytes' },
  { from: 'server/service/routes', to: 'server/service/metadata' },
  { from: 'server/service/s3', to: 'server/service/bytes' },
  { from: 'server/service/s3', to: 'server/service/metadata' },
];

const inside = (file: string, folder: string) => file.startsWith(`${folder}/`);
const IMPORT =
  /(?:^|[\s;])(?:import|export)\s+(type\s+)?(?:[^'"();]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** @returns one line for every import that goes the wrong way. */
export async function checkImports(): Promise<string[]> {
  const problems: string[] = [];
  for (const top of ['src', 'server']) {
    const entries = await readdir(top, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const file = join(entry.parentPath, entry.name);
      const room = ROOMS.find((one) => inside(file, one.folder));
      if (!room) {
        problems.push(`${file}: lies in no room; name its folder in test/checks/imports.ts`);
        continue;
      }
      for (const match of (await readFile(file, 'utf8')).matchAll(IMPORT)) {
        const problem = judge(file, room, match[2] ?? match[3]!, match[1] !== undefined);
        if (problem) problems.push(`${file}: ${problem}`);
      }
    }
  }
  return problems;
}

function judge(file: string, room: Room, specifier: string, typeOnly: boolean): string | undefined {
  if (specifier.startsWith('.')) {
    const target = relative('.', normalize(join(dirname(file), specifier)));
    const closed = CLOSED.find((one) => inside(file, one.from) && inside(target, one.to));
    if (closed && !typeOnly) return `imports ${target}: only server/service/blobs.ts joins bytes and metadata`;
    if (inside(target, room.folder) || room.rooms.some((one) => inside(target, one))) return undefined;
    return `imports ${target}; ${room.folder} may import ${room.rooms.join(', ') || 'nothing else'}`;
  }
  if (room.packages === 'any') return undefined;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const isNode = specifier.startsWith('node:') || builtinModules.includes(name);
  if (isNode ? room.packages.includes('node') : room.packages.includes(name)) return undefined;
  return `imports the package ${specifier}; ${room.folder} may import ${room.packages.join(', ') || 'no package'}`;
}

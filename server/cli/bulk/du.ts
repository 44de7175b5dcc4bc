import { Command } from 'commander';
import { S3Error } from '../../../src/bulk/errors.js';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { ObjectEntry, Place } from '../../../src/bulk/types.js';
import { addConnectionFlags, parseCount, addFilterFlags } from './flags.js';
import type { CommonFlags, FilterFlags } from './flags.js';
import { formatSize, escapeControls } from './format.js';
import { adviseOnPattern } from './pattern-advice.js';
import { asFolder, parseS3Location } from './locations.js';
import { withSession } from './session.js';
import type { Session } from './session.js';

interface DuFlags extends CommonFlags, FilterFlags {
  depth: number;
}

export const duCommand = (): Command =>
  addConnectionFlags(
    addFilterFlags(
      new Command('du')
        .description('sum up the objects and bytes below a prefix')
        .argument('<place>', 's3://bucket/prefix')
        .option('-d, --depth <n>', 'print a line for every prefix, down to this many levels', parseCount(0, 100), 0),
    ),
  ).action((text: string, flags: DuFlags) => {
    const place = parseS3Location(text);
    return withSession(
      { ...flags, brokenPipeStatus: 0, patternAdvice: adviseOnPattern(text, (folder) => `du ${folder}`) },
      async (session) => {
        const { reporter } = session;
        const { prefix: folder } = asFolder(place);
        const wanted = makeFilter(flags.filter ?? []);
        const sums = new Map<string, { objects: number; bytes: number }>([['', { objects: 0, bytes: 0 }]]);
        for await (const { key, size } of objectsBelow(place, session)) {
          // For a single object, the path is its name.
          const path = key.slice(key.length < folder.length ? key.lastIndexOf('/') + 1 : folder.length);
          if (!wanted(path)) continue;
          const folders = path.split('/').slice(0, -1);
          for (let level = 0; level <= Math.min(flags.depth, folders.length); level++) {
            const name = folders
              .slice(0, level)
              .map((segment) => `${segment}/`)
              .join('');
            const sum = sums.get(name) ?? { objects: 0, bytes: 0 };
            sums.set(name, { objects: sum.objects + 1, bytes: sum.bytes + size });
          }
        }
        for (const [name, { objects, bytes }] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) {
          const prefix = `s3://${place.bucket}/${name === '' ? place.prefix : folder + name.slice(0, -1)}`;
          reporter.printLine(`${formatSize(bytes).padStart(12)} ${String(objects).padStart(10)}  ${escapeControls(prefix)}`, {
            prefix,
            objects,
            bytes,
          });
        }
      },
    );
  });

/** Lists the objects below a folder, or else the object of that name. */
async function* objectsBelow(place: Place, { bulk, run }: Session): AsyncGenerator<ObjectEntry> {
  let empty = true;
  for await (const entry of bulk.list(asFolder(place), run)) {
    empty = false;
    if ('key' in entry) yield entry;
  }
  if (!empty || place.prefix === '') return;
  // The key itself sorts before all longer keys that begin with it.
  for await (const entry of bulk.list(place, run)) {
    if (!('key' in entry) || entry.key !== place.prefix) break;
    return yield entry;
  }
  throw new S3Error('NothingThere', `There is nothing below s3://${place.bucket}/${place.prefix}.`);
}

import { Command } from 'commander';
import { S3Error } from '../../../src/bulk/errors.js';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { ObjectEntry, Place } from '../../../src/bulk/types.js';
import { parseCount } from './flag-parsers.js';
import { addConnectionFlags, addFilterFlags } from './flags.js';
import type { CommonFlags, FilterFlags } from './flags.js';
import { escapeControls, formatSize } from './format.js';
import { asFolder, parseS3Location } from './locations.js';
import { adviseOnPattern } from './pattern-advice.js';
import { withSession } from './session.js';
import type { Session } from './session.js';

interface DuFlags extends CommonFlags, FilterFlags {
  depth: number;
}

const EXAMPLES = `
Examples:
  svc-blob du s3://main
  svc-blob du --depth 1 s3://main/photos`;

export const duCommand = (): Command =>
  addConnectionFlags(
    addFilterFlags(
      new Command('du')
        .description('Show the number and size of the objects below a prefix')
        .argument('<location>', 's3://bucket/prefix')
        .option(
          '-d, --depth <n>',
          'also print a line for each prefix, down to this many levels, 0 to 100',
          parseCount(0, 100),
          0,
        ),
    ),
  )
    .addHelpText('after', EXAMPLES)
    .action((text: string, flags: DuFlags) => {
      const place = parseS3Location(text);
      const pattern = adviseOnPattern(text, (folder) => `du ${folder}`);
      return withSession({ ...flags, brokenPipeStatus: 0, patternAdvice: pattern }, (session) => du(place, flags, session));
    });

/** The number and the bytes of the objects below a prefix. */
interface Total {
  objects: number;
  bytes: number;
}

async function du(place: Place, flags: DuFlags, session: Session): Promise<void> {
  const { prefix: folder } = asFolder(place);
  const totals = await sumByFolder(place, flags, session);
  for (const [name, { objects, bytes }] of [...totals].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const prefix = `s3://${place.bucket}/${name === '' ? place.prefix : folder + name.slice(0, -1)}`;
    const text = `${formatSize(bytes).padStart(12)} ${String(objects).padStart(10)}  ${escapeControls(prefix)}`;
    session.reporter.printLine(text, { prefix, objects, bytes });
  }
}

/** Sums up the objects by folder, down to `--depth`. The folder '' contains all objects; other folders end in a slash. */
async function sumByFolder(place: Place, flags: DuFlags, session: Session): Promise<Map<string, Total>> {
  const { prefix: folder } = asFolder(place);
  const matches = makeFilter(flags.filter ?? []);
  const totals = new Map<string, Total>([['', { objects: 0, bytes: 0 }]]);
  for await (const { key, size } of objectsBelow(place, session)) {
    // The path of a single object is its name.
    const path = key.slice(key.length < folder.length ? key.lastIndexOf('/') + 1 : folder.length);
    if (!matches(path)) continue;
    for (const name of foldersAbove(path, flags.depth)) {
      const total = totals.get(name) ?? { objects: 0, bytes: 0 };
      totals.set(name, { objects: total.objects + 1, bytes: total.bytes + size });
    }
  }
  return totals;
}

/** Yields '' and the folders of a path: for `a/b/c`, these are '', `a/` and `a/b/`. */
function* foldersAbove(path: string, depth: number): Generator<string> {
  let end = 0;
  yield '';
  for (let level = 1; level <= depth; level++) {
    end = path.indexOf('/', end) + 1;
    if (end === 0) return;
    yield path.slice(0, end);
  }
}

/** Lists the objects below a folder. If there are none, it lists the object of that name. */
async function* objectsBelow(place: Place, { bulk, runOptions }: Session): AsyncGenerator<ObjectEntry> {
  let isEmpty = true;
  for await (const entry of bulk.list(asFolder(place), runOptions)) {
    isEmpty = false;
    if ('key' in entry) yield entry;
  }
  if (!isEmpty || place.prefix === '') return;
  // The key itself sorts before all longer keys that begin with it.
  for await (const entry of bulk.list(place, runOptions)) {
    if (!('key' in entry) || entry.key !== place.prefix) break;
    return yield entry;
  }
  throw new S3Error('NothingThere', `There is nothing below s3://${place.bucket}/${place.prefix}.`);
}

import { Command } from 'commander';
import { makeFilter } from '../../../src/s3/filter.js';
import { connectionFlags, count, filterFlags } from './flags.js';
import type { CommonFlags, FilterFlags } from './flags.js';
import { formatSize, printable } from './format.js';
import { s3Spot } from './places.js';
import { withSession } from './session.js';

interface DuFlags extends CommonFlags, FilterFlags {
  depth: number;
}

export const duCommand = (): Command =>
  connectionFlags(
    filterFlags(
      new Command('du')
        .description('count objects and bytes whose keys begin with a prefix')
        .argument('<place>', 's3://bucket/prefix')
        .option('-d, --depth <n>', 'a line for every prefix down to so many levels', count(0, 100), 0),
    ),
  ).action((text: string, flags: DuFlags) => {
    const place = s3Spot(text);
    return withSession({ ...flags, unread: 0 }, async ({ bulk, reporter, run }) => {
      const wanted = makeFilter(flags.filter ?? []);
      const sums = new Map<string, { objects: number; bytes: number }>([['', { objects: 0, bytes: 0 }]]);
      for await (const entry of bulk.list(place, run)) {
        if (!('key' in entry)) continue;
        const rest = entry.key.slice(place.prefix.length);
        // The slash of a folder that was named without it makes no level of its own.
        const slash = rest.startsWith('/') ? '/' : '';
        const path = rest.slice(slash.length);
        if (!wanted(path)) continue;
        const folders = path.split('/').slice(0, -1);
        for (let level = 0; level <= Math.min(flags.depth, folders.length); level++) {
          const name = level === 0 ? '' : slash + folders.slice(0, level).join('/');
          const sum = sums.get(name) ?? { objects: 0, bytes: 0 };
          sums.set(name, { objects: sum.objects + 1, bytes: sum.bytes + entry.size });
        }
      }
      for (const [name, { objects, bytes }] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const prefix = `s3://${place.bucket}/${place.prefix}${name}`;
        reporter.line(`${formatSize(bytes).padStart(12)} ${String(objects).padStart(10)}  ${printable(prefix)}`, {
          prefix,
          objects,
          bytes,
        });
      }
    });
  });

import { Command } from 'commander';
import { walk } from '../../../src/bulk/node/files/walk.js';
import { UsageError } from '../report-failure.js';
import { connectionFlags, filterFlags, stateDir, symlinks } from './flags.js';
import type { CommonFlags, FilterFlags, TransferFlags } from './flags.js';
import { shellWord } from './format.js';
import { filterBelow } from './journals.js';
import { patternAdvice } from './patterns.js';
import { asFolder, checkDirectory, parseSpot, s3Spot } from './locations.js';
import { withSession } from './session.js';

export const verifyCommand = (): Command =>
  connectionFlags(
    filterFlags(
      new Command('verify')
        .description(
          'compare every byte of a directory with the objects below a prefix: by the store’s checksum, or by reading them',
        )
        .argument('<directory>', 'what the objects should be equal to')
        .argument('<place>', 's3://bucket/prefix')
        .addOption(symlinks())
        .addOption(stateDir()),
    ),
  ).action((directory: string, text: string, flags: CommonFlags & FilterFlags & Pick<TransferFlags, 'stateDir' | 'symlinks'>) => {
    const local = parseSpot(directory);
    if (local.kind !== 'local') throw new UsageError(`${directory}: verify compares a directory with s3://bucket/prefix`);
    const place = s3Spot(text);
    const pattern = patternAdvice(text, (folder) => `verify ${shellWord(directory)} ${folder}`);
    return withSession({ ...flags, action: 'verify', patternAdvice: pattern }, async ({ bulk, reporter, run }) => {
      checkDirectory(local, 'name the directory it lies in, with --include');
      const filter = filterBelow(local.path, flags);
      const tree = () => walk(local.path, { symlinks: flags.symlinks, filter, sorted: true });
      const summary = await bulk.verify(tree, asFolder(place), { ...run, filter });
      reporter.summary(summary, 'verify');
    });
  });

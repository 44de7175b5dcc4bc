import { Command } from 'commander';
import { walk } from '../../../src/bulk/node/files/walk.js';
import { UsageError } from '../errors.js';
import { addConnectionFlags, addFilterFlags, stateDirOption, symlinksOption } from './flags.js';
import type { CommonFlags, FilterFlags, TransferFlags } from './flags.js';
import { quoteIfNeeded } from './format.js';
import { makeTreeFilter } from './journals.js';
import { adviseOnPattern } from './pattern-advice.js';
import { asFolder, checkDirectory, parseLocation, parseS3Location } from './locations.js';
import { withSession } from './session.js';

type VerifyFlags = CommonFlags & FilterFlags & Pick<TransferFlags, 'stateDir' | 'symlinks'>;

const EXAMPLES = `
Examples:
  svc-blob verify ./photos s3://main/photos --exclude '*.tmp'`;

export const verifyCommand = (): Command =>
  addConnectionFlags(
    addFilterFlags(
      new Command('verify')
        .description(
          'Compare the contents of a directory with the objects below a prefix. Uses the checksums of the store, and reads objects that have none.',
        )
        .argument('<directory>', 'local directory')
        .argument('<location>', 's3://bucket/prefix')
        .addOption(symlinksOption())
        .addOption(stateDirOption()),
    ),
  )
    .addHelpText('after', EXAMPLES)
    .action((directory: string, text: string, flags: VerifyFlags) => {
      const local = parseLocation(directory);
      if (local.kind !== 'local') throw new UsageError(`${directory}: the first argument of verify must be a local directory`);
      const place = parseS3Location(text);
      const pattern = adviseOnPattern(text, (folder) => `verify ${quoteIfNeeded(directory)} ${folder}`);
      return withSession({ ...flags, operation: 'verify', patternAdvice: pattern }, async ({ bulk, reporter, runOptions }) => {
        checkDirectory(local, 'use its directory with --include');
        const filter = makeTreeFilter(local.path, flags);
        const openTree = () => walk(local.path, { symlinks: flags.symlinks, filter, sorted: true });
        const summary = await bulk.verify(openTree, asFolder(place), { ...runOptions, filter });
        reporter.reportSummary(summary, 'verify');
      });
    });

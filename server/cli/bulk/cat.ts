import { once } from 'node:events';
import { aborted } from '../../../src/s3/waiting.js';
import { Command } from 'commander';
import type { Place } from '../../../src/s3/types.js';
import { UsageError } from '../report.js';
import { connectionFlags } from './flags.js';
import type { CommonFlags } from './flags.js';
import { s3Spot } from './places.js';
import { withSession } from './session.js';
import type { Session } from './session.js';

export const catCommand = (): Command =>
  connectionFlags(new Command('cat'))
    .description('write objects to standard output')
    .argument('<object...>', 's3://bucket/key')
    .action((objects: string[], flags: CommonFlags) => {
      const places = objects.map(s3Spot);
      refuseEvents(flags);
      return withSession({ ...flags, unread: 0 }, (session) => cat(session, places));
    });

/** They would stand between the bytes. @throws UsageError */
export function refuseEvents(flags: CommonFlags): void {
  if (flags.json) throw new UsageError('--json has no place where objects go to standard output');
}

/** One after the other; whoever reads the pipe sets the pace. */
export async function cat({ bulk, run }: Pick<Session, 'bulk' | 'run'>, places: Place[]): Promise<void> {
  const { signal } = run;
  for (const place of places)
    for await (const bytes of bulk.read(place, run))
      if (!process.stdout.write(bytes))
        await once(process.stdout, 'drain', signal && { signal }).catch((error: unknown) => {
          throw signal?.aborted ? aborted(signal) : error;
        });
}

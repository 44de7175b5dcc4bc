import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { S3Error } from '../../../src/bulk/errors.js';
import { abortError } from '../../../src/bulk/abort.js';
import { Command } from 'commander';
import type { Place } from '../../../src/bulk/types.js';
import { UsageError } from '../report-failure.js';
import { connectionFlags } from './flags.js';
import type { CommonFlags } from './flags.js';
import { patternAdvice } from './patterns.js';
import { s3Spot } from './locations.js';
import { withSession } from './session.js';
import type { Session } from './session.js';
import type { Sink } from './output-stream.js';

/** Without what it takes only to refuse it by its reason. */
const withoutJson = (command: Command): Command => {
  command.options.find(({ long }) => long === '--json')!.hideHelp();
  return command;
};

export const catCommand = (): Command =>
  withoutJson(connectionFlags(new Command('cat')))
    .description('write objects to standard output')
    .argument('<object...>', 's3://bucket/key')
    .action((objects: string[], flags: CommonFlags) => {
      const places = objects.map(s3Spot);
      refuseEvents(flags);
      const pattern = objects.map((one) => patternAdvice(one, (folder) => `ls -r ${folder}`)).find(Boolean);
      return withSession({ ...flags, unread: 0, patternAdvice: pattern }, (session) => cat(session, places));
    });

/** They would stand between the bytes, or whoever reads them has none to read. @throws UsageError */
export function refuseEvents(flags: CommonFlags, where = 'objects go to standard output'): void {
  if (flags.json) throw new UsageError(`--json has no place where ${where}`);
}

/** One after the other; whoever reads the pipe sets the pace. */
export async function cat(
  { bulk, run }: Pick<Session, 'bulk' | 'run'>,
  places: Place[],
  out: Writable = process.stdout,
): Promise<void> {
  const { signal } = run;
  for (const place of places)
    for await (const bytes of bulk.read(place, run))
      if (!out.write(bytes))
        await once(out, 'drain', signal && { signal }).catch((error: unknown) => {
          throw signal?.aborted ? abortError(signal) : unwritable(error);
        });
}

/** One object into what is not standard output. @throws S3Error `TargetUnwritable` */
export async function catInto(session: Pick<Session, 'bulk' | 'run'>, place: Place, open: Sink): Promise<void> {
  const out = await open(session.run.signal).catch(refused);
  const done = finished(out).catch(refused);
  try {
    // It may be gone while nothing is written.
    await Promise.race([cat(session, [place], out).then(() => out.end()), done]);
    await done;
  } finally {
    out.destroy();
  }
}

const unwritable = (error: unknown): S3Error =>
  error instanceof S3Error ? error : new S3Error('TargetUnwritable', (error as Error).message, { cause: error });

function refused(error: unknown): never {
  throw unwritable(error);
}

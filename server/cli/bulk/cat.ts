import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { S3Error } from '../../../src/bulk/errors.js';
import { abortError } from '../../../src/bulk/abort.js';
import { Command } from 'commander';
import type { Place } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import { addConnectionFlags } from './flags.js';
import type { CommonFlags } from './flags.js';
import { adviseOnPattern } from './pattern-advice.js';
import { parseS3Location } from './locations.js';
import { withSession } from './session.js';
import type { Session } from './session.js';
import type { OpenOutputStream } from './output-stream.js';

/** Hides `--json`, which exists only to be rejected with a reason. */
const hideJson = (command: Command): Command => {
  command.options.find(({ long }) => long === '--json')!.hideHelp();
  return command;
};

export const catCommand = (): Command =>
  hideJson(addConnectionFlags(new Command('cat')))
    .description('write the contents of objects to standard output')
    .argument('<object...>', 's3://bucket/key')
    .action((objects: string[], flags: CommonFlags) => {
      const places = objects.map(parseS3Location);
      rejectJsonFlag(flags);
      const pattern = objects.map((object) => adviseOnPattern(object, (folder) => `ls -r ${folder}`)).find(Boolean);
      return withSession({ ...flags, brokenPipeStatus: 0, patternAdvice: pattern }, (session) => writeObjects(session, places));
    });

/** Rejects `--json` where the output is the content of objects. @throws UsageError */
export function rejectJsonFlag(flags: CommonFlags, where = 'objects are written to standard output'): void {
  if (flags.json) throw new UsageError(`--json cannot be used if ${where}`);
}

/** Writes objects one after the other, as fast as the reader takes them. */
export async function writeObjects(
  { bulk, run }: Pick<Session, 'bulk' | 'run'>,
  places: Place[],
  out: Writable = process.stdout,
): Promise<void> {
  const { signal } = run;
  for (const place of places)
    for await (const bytes of bulk.read(place, run))
      if (!out.write(bytes))
        await once(out, 'drain', signal && { signal }).catch((error: unknown) => {
          throw signal?.aborted ? abortError(signal) : toTargetError(error);
        });
}

/** Writes an object to a pipe or a device. @throws S3Error `TargetUnwritable` */
export async function writeObjectToStream(
  session: Pick<Session, 'bulk' | 'run'>,
  place: Place,
  open: OpenOutputStream,
): Promise<void> {
  const out = await open(session.run.signal).catch(throwTargetError);
  const done = finished(out).catch(throwTargetError);
  try {
    // The reader may close the pipe between two writes.
    await Promise.race([writeObjects(session, [place], out).then(() => out.end()), done]);
    await done;
  } finally {
    out.destroy();
  }
}

const toTargetError = (error: unknown): S3Error =>
  error instanceof S3Error ? error : new S3Error('TargetUnwritable', (error as Error).message, { cause: error });

function throwTargetError(error: unknown): never {
  throw toTargetError(error);
}

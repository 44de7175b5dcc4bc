import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Command } from 'commander';
import { abortError } from '../../../src/bulk/abort.js';
import { S3Error } from '../../../src/bulk/errors.js';
import type { Place } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import { addConnectionFlags } from './flags.js';
import type { CommonFlags } from './flags.js';
import { parseS3Location } from './locations.js';
import type { OpenOutputStream } from './output-stream.js';
import { adviseOnPattern } from './pattern-advice.js';
import { withSession } from './session.js';
import type { Session } from './session.js';

/** Hides `--json` in the help. The command has the flag only to reject it with a reason. */
const hideJsonFlag = (command: Command): Command => {
  command.options.find(({ long }) => long === '--json')!.hideHelp();
  return command;
};

const EXAMPLES = `
Examples:
  svc-blob cat s3://main/shop.sql.gz | gunzip | psql shop`;

export const catCommand = (): Command =>
  hideJsonFlag(addConnectionFlags(new Command('cat')))
    .description('Write the contents of objects to standard output')
    .argument('<object...>', 's3://bucket/key')
    .addHelpText('after', EXAMPLES)
    .action((objects: string[], flags: CommonFlags) => {
      const places = objects.map(parseS3Location);
      rejectJsonFlag(flags);
      const pattern = objects.map((object) => adviseOnPattern(object, (folder) => `ls -r ${folder}`)).find(Boolean);
      return withSession({ ...flags, brokenPipeStatus: 0, patternAdvice: pattern }, (session) => writeObjects(session, places));
    });

/** Rejects `--json` where the contents of objects are the output. @throws UsageError */
export function rejectJsonFlag(flags: CommonFlags, reason = 'objects are written to standard output'): void {
  if (flags.json) throw new UsageError(`--json cannot be used if ${reason}`);
}

/** Writes objects one after the other, as fast as the reader reads. @throws S3Error `TargetUnwritable` */
export async function writeObjects(
  { bulk, runOptions }: Pick<Session, 'bulk' | 'runOptions'>,
  places: Place[],
  output: Writable = process.stdout,
): Promise<void> {
  for (const place of places)
    for await (const bytes of bulk.read(place, runOptions)) {
      const isBufferFull = !output.write(bytes);
      if (isBufferFull) await waitForDrain(output, runOptions.signal);
    }
}

async function waitForDrain(output: Writable, signal: AbortSignal | undefined): Promise<void> {
  try {
    await once(output, 'drain', signal && { signal });
  } catch (error) {
    throw signal?.aborted ? abortError(signal) : toTargetError(error);
  }
}

/** Writes an object to a named pipe or a device. @throws S3Error `TargetUnwritable` */
export async function writeObjectToStream(
  session: Pick<Session, 'bulk' | 'runOptions'>,
  place: Place,
  open: OpenOutputStream,
): Promise<void> {
  const output = await open(session.runOptions.signal).catch(throwTargetError);
  const finishedOutput = finished(output).catch(throwTargetError);
  try {
    // The race notices a reader that closes the pipe between two writes.
    await Promise.race([writeObjects(session, [place], output).then(() => output.end()), finishedOutput]);
    await finishedOutput;
  } finally {
    output.destroy();
  }
}

const toTargetError = (error: unknown): S3Error =>
  error instanceof S3Error ? error : new S3Error('TargetUnwritable', (error as Error).message, { cause: error });

function throwTargetError(error: unknown): never {
  throw toTargetError(error);
}

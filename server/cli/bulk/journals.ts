import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Journal } from '../../../src/s3/journal.js';
import { NoJournal } from '../../../src/s3/journal.js';
import { DiskJournal } from '../../../src/s3/node/disk-journal.js';
import type { Place } from '../../../src/s3/types.js';
import type { TransferFlags } from './flags.js';
import { objectProperties } from './upload-options.js';

export const stateFolder = (flags: { stateDir?: string }): string =>
  flags.stateDir ?? join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'svc-blob');

/** The journal of this command between these two places: the same words find it again. */
export function openJournal(flags: TransferFlags, verb: string, local: string, place: Place): Journal {
  if (!flags.resume || flags.dryRun) return new NoJournal();
  const endpoint = flags.endpoint ?? process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'] ?? '';
  // What a copy gives its objects is part of it: another Cache-Control is another copy. A sync does not look at that.
  const given = verb === 'cp' ? objectProperties(flags) : {};
  const identity = JSON.stringify([verb, endpoint, flags.profile ?? '', local, place.bucket, place.prefix, given]);
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 32);
  return new DiskJournal(join(stateFolder(flags), name), { keepSettled: verb.startsWith('sync') });
}

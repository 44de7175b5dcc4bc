import { isAbsolute, join } from 'node:path';
import { S3Error } from '../../../src/bulk/errors.js';
import { homeFolder } from '../../../src/bulk/node/config/home-folder.js';

/**
 * Returns the folder that holds journals: the one of `--state-dir`, else `svc-blob` in `XDG_STATE_HOME`. Relative values of the variable are ignored.
 * @throws S3Error `JournalUnwritable` if there is no home directory
 * @see XDG Base Directory Specification, "Environment variables"
 */
export function stateFolder({ stateDir }: { stateDir?: string }): string {
  if (stateDir !== undefined) return stateDir;
  const stated = process.env['XDG_STATE_HOME'];
  if (stated !== undefined && isAbsolute(stated)) return join(stated, 'svc-blob');
  const home = homeFolder();
  if (home === undefined) throw new S3Error('JournalUnwritable', 'There is no home directory for journals.');
  return join(home, '.local', 'state', 'svc-blob');
}

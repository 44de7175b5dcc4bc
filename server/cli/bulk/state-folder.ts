import { isAbsolute, join } from 'node:path';
import { S3Error } from '../../../src/bulk/errors.js';
import { homeFolder } from '../../../src/bulk/node/config/home-folder.js';

/**
 * Returns the folder of the journals: `--state-dir`, or else `svc-blob` in `XDG_STATE_HOME`. As the specification demands, a relative
 * path in the variable is ignored.
 * @throws S3Error `JournalUnwritable` if there is no home directory
 * @see XDG Base Directory Specification, "Environment variables"
 */
export function stateFolder({ stateDir }: { stateDir?: string }): string {
  if (stateDir !== undefined) return stateDir;
  const stateHome = process.env['XDG_STATE_HOME'];
  if (stateHome !== undefined && isAbsolute(stateHome)) return join(stateHome, 'svc-blob');
  const home = homeFolder();
  if (home === undefined) throw new S3Error('JournalUnwritable', 'There is no home directory for journals.');
  return join(home, '.local', 'state', 'svc-blob');
}

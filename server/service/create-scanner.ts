import type { Core } from './core.js';
import type { Metrics } from './http/metrics.js';
import type { BlobServiceOptions } from './options.js';
import type { App } from './rest/context.js';
import { Scanner } from './scanning/scanner.js';
import { requireScannerAddress } from './scanning/scanner-address.js';

interface ScannerParts {
  core: Core;
  app: App;
  metrics: Metrics;
  options: Pick<BlobServiceOptions, 'scan'>;
}

/** Creates the scanner of new files. It reports results to the log and the metrics, and is woken by new files. @returns undefined if scanning is off */
export function createScanner({ core, app, metrics, options }: ScannerParts): Scanner | undefined {
  const { scans } = core.blobs;
  scans.policy.onUnscannedRead = () => metrics.scans.unscannedFileRead();
  if (options.scan === undefined) return undefined;
  const scanner = new Scanner({
    queue: scans,
    address: requireScannerAddress(options.scan),
    onResult({ file, result, milliseconds }) {
      metrics.scans.scanEnded(result.state);
      const fields = { file, ms: Math.round(milliseconds), ...('signature' in result && { signature: result.signature }) };
      if (result.state === 'clean') app.log.info(fields, 'file is clean');
      else app.log.warn(fields, result.state === 'infected' ? 'file is infected' : 'file is too large for the virus scanner');
    },
    onScanFailure(file, cause) {
      metrics.scans.scanEnded('failed');
      app.log.warn({ err: cause, file }, 'file could not be scanned');
    },
    onAvailability(isAvailable, cause) {
      metrics.scans.scannerChecked(isAvailable);
      if (isAvailable) app.log.info('the virus scanner is available');
      else
        app.log.error(
          { err: cause },
          `the virus scanner is unavailable; files that wait for it are ${scans.policy.deliversPending ? 'delivered unscanned' : 'not delivered'}`,
        );
    },
    onWaiting: (waiting) => metrics.scans.filesWait(waiting),
    onFailure: (cause) => app.log.error({ err: cause }, 'files could not be scanned'),
  });
  core.blobs.onPendingScan = () => scanner.wake();
  return scanner;
}

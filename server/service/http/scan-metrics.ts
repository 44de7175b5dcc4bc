import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** The metrics of virus scans. */
export class ScanMetrics {
  readonly #registry: Registry;
  readonly #scans: Counter<'result'>;
  readonly #unscannedReads: Counter;
  #gauges: Record<'available' | 'files' | 'oldest', Gauge> | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#scans = new Counter({
      name: 'svc_scans_total',
      help: 'Virus scans by result: clean, infected, too_large, or failed and tried again.',
      labelNames: ['result'],
      registers: [registry],
    });
    this.#unscannedReads = new Counter({
      name: 'svc_unscanned_reads_total',
      help: 'Reads of files that were delivered before their virus scan, because the scanner was unavailable.',
      registers: [registry],
    });
  }

  scanEnded(result: string): void {
    this.#scans.inc({ result });
  }

  unscannedFileRead(): void {
    this.#unscannedReads.inc();
  }

  scannerChecked(isAvailable: boolean): void {
    this.#getGauges().available.set(Number(isAvailable));
  }

  /** @param waiting the number of pending files, and the time for which the oldest has waited, ms. */
  filesWait({ files, oldest }: { files: number; oldest: number }): void {
    const gauges = this.#getGauges();
    gauges.files.set(files);
    gauges.oldest.set(oldest / 1000);
  }

  /** Creates the gauges on first use, so that a service without a scanner does not report that it is unavailable. */
  #getGauges() {
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [this.#registry] });
    return (this.#gauges ??= {
      available: gauge('svc_scanner_available', 'Whether the virus scanner responds: 1 or 0.'),
      files: gauge('svc_scan_pending_files', 'Files of all replicas that wait for their virus scan.'),
      oldest: gauge('svc_scan_oldest_pending_seconds', 'Time for which the oldest pending file has waited for its virus scan.'),
    });
  }
}

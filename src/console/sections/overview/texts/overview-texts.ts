import type { Notice } from '../../../texts/console-texts.js';

interface Advice {
  title: string;
  advice: string;
}

/** Texts of the section Overview. */
export interface OverviewTexts {
  title: string;
  period: string;
  refresh: string;
  files(count: number, shown: string): string;
  empty: Notice & { action: string };
  emptyReadOnly: Notice;
  figures: Record<'storage' | 'files' | 'requests' | 'traffic' | 'errors', string>;
  quota(used: string, total: string): string;
  noQuota: string;
  publicFiles(shown: string): string;
  perDay(shown: string): string;
  errorShare(shown: string): string;
  inOut(received: string, sent: string): string;
  chart: {
    /** Name of the plot for screen readers. */
    hint(title: string): string;
    table: string;
    day: string;
    storage: string;
    files: string;
    requests: string;
    errors: string;
    traffic: string;
    received: string;
    sent: string;
    uploads: string;
    failedUploads: string;
  };
  folders: { title: string; outside: string; types: string; computing: string; computedAt(time: string): string; none: string };
  attention: {
    title: string;
    none: string;
    show: string;
    pendingDomain(host: string): Advice;
    suspendedDomain(host: string): Advice;
    suspendedWebhook(host: string): string;
    suspendedReasons: Record<string, string>;
    unusedKey(name: string): Advice;
    failedUploads(count: number, shown: string): Advice;
    nearlyFull: Advice;
    full: Advice;
  };
}

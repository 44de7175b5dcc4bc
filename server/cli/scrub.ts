import { Command } from 'commander';
import type { Finding } from '../service/blobs/scrub.js';
import { formatCount, formatSize, printable } from './bulk/format.js';
import { openData } from './environment.js';
import type { DataFlags } from './environment.js';

export function scrubCommand(): Command {
  return new Command()
    .description(
      'Read every stored byte again and compare it with the hash of its upload. Changes nothing; the service may run. Ends with 1 when something is wrong.',
    )
    .option('--data-dir <folder>', 'where SQLite and the files lie [DATA_DIR, ./data]')
    .option('--database-url <url>', 'postgres://… instead of SQLite [DATABASE_URL]')
    .option('--store <url>', 's3://bucket?endpoint=… instead of files [BLOB_STORE]')
    .option('--json', 'one JSON object a line on stdout: a finding, at the end the sums')
    .action(run);
}

async function run(flags: DataFlags & { json?: boolean }): Promise<void> {
  const core = await openData(flags);
  try {
    // Where no service runs, what a crash left half done is finished first; where one runs, it has done that.
    await core.claim().catch(() => false);
    const report = await core.blobs.scrub((finding) => console.log(flags.json ? JSON.stringify(finding) : line(finding)));
    if (flags.json) console.log(JSON.stringify(report));
    const { blobs, bytes, files, findings } = report;
    console.error(`Read ${formatCount(blobs, 'blob')}, ${formatSize(bytes)}, of ${formatCount(files, 'file')}.`);
    if (findings > 0) throw new Error(`${formatCount(findings, 'finding')}: see above`);
  } finally {
    await core.close();
  }
}

function line(finding: Finding): string {
  if (finding.kind === 'miscounted') return `miscounted\t${finding.account}\t${finding.message}`;
  const files = finding.files.map(({ path }) => printable(path)).join(', ');
  return `${finding.kind}\t${finding.blob}\t${finding.message}\t${files}`;
}

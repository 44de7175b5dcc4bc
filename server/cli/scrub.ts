import { Command } from 'commander';
import type { Finding } from '../service/storage/maintenance/scrub.js';
import { formatCount, formatSize } from './bulk/format.js';
import { openData } from './environment.js';
import type { DataFlags } from './environment.js';
import { printFields, printJson, printNote } from './output.js';

export function scrubCommand(): Command {
  return new Command()
    .description(
      'Read all stored bytes and compare them with the hashes of their uploads. Works while the service runs and changes nothing. The exit status is 1 if something is damaged.',
    )
    .option('--data-dir <folder>', 'folder of the SQLite database and the files [DATA_DIR, ./data]')
    .option('--database-url <url>', 'postgres://… instead of SQLite [DATABASE_URL]')
    .option('--database-url-file <file>', 'file with that address; - reads standard input [DATABASE_URL_FILE]')
    .option('--store <url>', 's3://bucket?endpoint=… instead of files [BLOB_STORE]')
    .option('--json', 'print each finding, then the totals, as one JSON object per line on stdout')
    .action(run);
}

async function run(flags: DataFlags & { json?: boolean }): Promise<void> {
  const core = await openData(flags);
  try {
    // If no service runs, this repairs what a crash left behind. A running service has done so at its start.
    await core.claim().catch(() => false);
    const report = await core.blobs.scrub((finding) => (flags.json ? printJson(finding) : printFields(...fieldsOf(finding))));
    if (flags.json) printJson(report);
    const { blobs, bytes, files, findings } = report;
    printNote(`Read ${formatCount(blobs, 'blob')}, ${formatSize(bytes)}, of ${formatCount(files, 'file')}.`);
    if (findings > 0) throw new Error(`${formatCount(findings, 'finding')}, listed above`);
  } finally {
    await core.close();
  }
}

function fieldsOf(finding: Finding): string[] {
  if (finding.kind === 'miscounted') return ['miscounted', finding.account, finding.message];
  return [finding.kind, finding.blob, finding.message, finding.files.map(({ path }) => path).join(', ')];
}

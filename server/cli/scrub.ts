import { Command } from 'commander';
import type { Finding } from '../service/storage/maintenance/scrub.js';
import { formatCount, formatSize } from './bulk/format.js';
import { openData } from './environment.js';
import type { DataFlags } from './environment.js';
import { printFields, printJson, printNote } from './output.js';

export function scrubCommand(): Command {
  return new Command()
    .description(
      'Read every stored byte again and compare it with the hash of its upload. Changes nothing; the service may run. Ends with 1 when something is wrong.',
    )
    .option('--data-dir <folder>', 'where SQLite and the files lie [DATA_DIR, ./data]')
    .option('--database-url <url>', 'postgres://… instead of SQLite [DATABASE_URL]')
    .option('--database-url-file <file>', 'a file that holds that address; - is standard input [DATABASE_URL_FILE]')
    .option('--store <url>', 's3://bucket?endpoint=… instead of files [BLOB_STORE]')
    .option('--json', 'one JSON object a line on stdout: a finding, at the end the sums')
    .action(run);
}

async function run(flags: DataFlags & { json?: boolean }): Promise<void> {
  const core = await openData(flags);
  try {
    // Where no service runs, what a crash left half done is finished first; where one runs, it has done that.
    await core.claim().catch(() => false);
    const report = await core.blobs.scrub((finding) => (flags.json ? printJson(finding) : printFields(...fieldsOf(finding))));
    if (flags.json) printJson(report);
    const { blobs, bytes, files, findings } = report;
    printNote(`Read ${formatCount(blobs, 'blob')}, ${formatSize(bytes)}, of ${formatCount(files, 'file')}.`);
    if (findings > 0) throw new Error(`${formatCount(findings, 'finding')}: see above`);
  } finally {
    await core.close();
  }
}

function fieldsOf(finding: Finding): string[] {
  if (finding.kind === 'miscounted') return ['miscounted', finding.account, finding.message];
  return [finding.kind, finding.blob, finding.message, finding.files.map(({ path }) => path).join(', ')];
}

import { Command } from 'commander';
import type { Finding } from '../service/storage/maintenance/scrub.js';
import { formatCount, formatSize } from './bulk/format.js';
import { addDataFlags, openData } from './data.js';
import type { DataFlags } from './data.js';
import { printFields, printJson, printNote } from './output.js';

export function scrubCommand(): Command {
  const command = new Command().description(
    'Read all stored bytes, compare them with the hashes of their uploads, and report damage. Changes nothing. The service may be running. The exit status is 1 if something is damaged.',
  );
  return addDataFlags(command)
    .option('--json', 'print one JSON object per line on standard output: the findings, then the totals')
    .action(scrub);
}

async function scrub(flags: DataFlags & { json?: boolean }): Promise<void> {
  const core = await openData(flags);
  try {
    // If no service runs, this repairs the data after a crash. A running service has repaired it at its start.
    await core.lockForServing().catch(() => false);
    const report = await core.blobs.scrub((finding) =>
      flags.json ? printJson(finding) : printFields(...findingFields(finding)),
    );
    if (flags.json) printJson(report);
    const { blobs, bytes, files, findings } = report;
    printNote(`Read ${formatCount(blobs, 'blob')}, ${formatSize(bytes)}, of ${formatCount(files, 'file')}.`);
    if (findings > 0) throw new Error(`${formatCount(findings, 'finding')}, listed above`);
  } finally {
    await core.close();
  }
}

function findingFields(finding: Finding): string[] {
  if (finding.kind === 'miscounted') return ['miscounted', finding.account, finding.message];
  return [finding.kind, finding.blob, finding.message, finding.files.map(({ path }) => path).join(', ')];
}

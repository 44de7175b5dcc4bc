import { awsSettings } from '../../../src/bulk/node/config/aws-settings.js';
import type { AwsFlags } from '../../../src/bulk/node/config/aws-settings.js';
import { createBulkTransfer, proxyFromEnvironment } from '../../../src/bulk/node/index.js';
import { printable } from '../bulk/format.js';

/** The terminal takes no key while the shell waits. */
const TIMEOUT_MS = 2000;
/** One page of a listing. */
const MAX_CANDIDATES = 1000;

/** Prints completions of an s3:// word, one a line. Prints nothing if anything fails. */
export async function printCandidates(word: string, line: string): Promise<void> {
  setTimeout(() => process.exit(), TIMEOUT_MS).unref();
  const candidates = await candidatesFor(word, flagsIn(line)).catch(() => []);
  // Names with control characters, such as line breaks, are left out.
  const safe = candidates.filter((candidate) => printable(candidate) === candidate);
  process.stdout.write(safe.map((candidate) => `${candidate}\n`).join(''));
}

/** Lists buckets, or one level of a bucket. */
async function candidatesFor(word: string, flags: AwsFlags): Promise<string[]> {
  const [, bucket = '', prefix] = /^s3:\/\/([^/]*)(?:\/(.*))?$/s.exec(word) ?? [];
  const bulk = createBulkTransfer({ ...awsSettings(process.env, flags), proxy: proxyFromEnvironment(process.env) });
  try {
    const run = { retry: { tries: 1 } };
    if (prefix === undefined) {
      const names = (await bulk.buckets(run)).map(({ name }) => name);
      return names.filter((name) => name.startsWith(bucket)).map((name) => `s3://${name}/`);
    }
    const candidates: string[] = [];
    for await (const entry of bulk.list({ bucket, prefix }, { ...run, delimiter: '/' })) {
      candidates.push(`s3://${bucket}/${'prefix' in entry ? entry.prefix : entry.key}`);
      if (candidates.length === MAX_CANDIDATES) break;
    }
    return candidates;
  } finally {
    bulk.close();
  }
}

/** Reads the flags of the store from a line that is not complete yet. */
function flagsIn(line: string): AwsFlags {
  const valueOf = (flag: string): string | undefined => new RegExp(` --${flag}[= ]["']?([^\\s"']+)`).exec(line)?.[1];
  const [endpoint, region, profile, addressing] = ['endpoint(?:-url)?', 'region', 'profile', 'addressing'].map(valueOf);
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...((addressing === 'path' || addressing === 'virtual') && { addressing }),
    ...(line.includes(' --no-sign-request') && { signRequest: false }),
  };
}

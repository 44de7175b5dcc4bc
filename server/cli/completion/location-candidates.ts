import { awsSettings } from '../../../src/bulk/node/config/aws-settings.js';
import type { AwsFlags } from '../../../src/bulk/node/config/aws-settings.js';
import { createBulkTransfer, proxyFromEnvironment } from '../../../src/bulk/node/index.js';
import { escapeControls } from '../bulk/format.js';

/** Time after which nothing is offered. The terminal accepts no key while the shell waits. */
const TIMEOUT_MS = 2000;
/** One page of a listing. */
const MAX_CANDIDATES = 1000;

/**
 * Prints the completions of a word that begins with s3://, one per line. Prints nothing if the store cannot be listed.
 * @param line the line that contains the word; its flags select the store
 */
export async function printCandidates(word: string, line: string): Promise<void> {
  setTimeout(() => process.exit(), TIMEOUT_MS).unref();
  const candidates = await listCandidates(word, parseStoreFlags(line)).catch(() => []);
  // A name with a line break would look like two names to the shell.
  const safeCandidates = candidates.filter((candidate) => escapeControls(candidate) === candidate);
  process.stdout.write(safeCandidates.map((candidate) => `${candidate}\n`).join(''));
}

/** Lists buckets, or one level of a bucket. */
async function listCandidates(word: string, flags: AwsFlags): Promise<string[]> {
  const [, bucket = '', prefix] = /^s3:\/\/([^/]*)(?:\/(.*))?$/s.exec(word) ?? [];
  const bulk = createBulkTransfer({ ...awsSettings(process.env, flags), proxy: proxyFromEnvironment(process.env) });
  try {
    const runOptions = { retry: { tries: 1 } };
    if (prefix === undefined) {
      const names = (await bulk.buckets(runOptions)).map(({ name }) => name);
      return names.filter((name) => name.startsWith(bucket)).map((name) => `s3://${name}/`);
    }
    const candidates: string[] = [];
    for await (const entry of bulk.list({ bucket, prefix }, { ...runOptions, delimiter: '/' })) {
      candidates.push(`s3://${bucket}/${'prefix' in entry ? entry.prefix : entry.key}`);
      if (candidates.length === MAX_CANDIDATES) break;
    }
    return candidates;
  } finally {
    bulk.close();
  }
}

/** Parses the flags that select the store. The line may be incomplete, so commander cannot parse it. */
function parseStoreFlags(line: string): AwsFlags {
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

import { awsSettings } from '../../../src/bulk/node/config/aws-settings.js';
import type { AwsFlags } from '../../../src/bulk/node/config/aws-settings.js';
import { createBulkTransfer, proxyFromEnvironment } from '../../../src/bulk/node/index.js';
import { printable } from './format.js';

/** Somebody waits at a terminal that takes no other key meanwhile. */
const PATIENCE_MS = 2000;
/** A page of a listing; nobody reads more of them. */
const MOST = 1000;

/** Says what a word may become, one a line; and nothing of what went wrong. */
export async function printPlaces(word: string, line: string): Promise<void> {
  setTimeout(() => process.exit(), PATIENCE_MS).unref();
  const places = await placesOf(word, flagsIn(line)).catch(() => []);
  // A line break in a name would make two of it.
  const tame = places.filter((place) => printable(place) === place);
  process.stdout.write(tame.map((place) => `${place}\n`).join(''));
}

/** Buckets, or one level of one. */
async function placesOf(word: string, flags: AwsFlags): Promise<string[]> {
  const [, bucket = '', prefix] = /^s3:\/\/([^/]*)(?:\/(.*))?$/s.exec(word) ?? [];
  const bulk = createBulkTransfer({ ...awsSettings(process.env, flags), proxy: proxyFromEnvironment(process.env) });
  try {
    const run = { retry: { tries: 1 } };
    if (prefix === undefined) {
      const names = (await bulk.buckets(run)).map(({ name }) => name);
      return names.filter((name) => name.startsWith(bucket)).map((name) => `s3://${name}/`);
    }
    const places: string[] = [];
    for await (const entry of bulk.list({ bucket, prefix }, { ...run, delimiter: '/' })) {
      places.push(`s3://${bucket}/${'prefix' in entry ? entry.prefix : entry.key}`);
      if (places.length === MOST) break;
    }
    return places;
  } finally {
    bulk.close();
  }
}

/** What a line that is not written to its end says of the store. */
function flagsIn(line: string): AwsFlags {
  const said = (flag: string): string | undefined => new RegExp(` --${flag}[= ]["']?([^\\s"']+)`).exec(line)?.[1];
  const [endpoint, region, profile, addressing] = ['endpoint(?:-url)?', 'region', 'profile', 'addressing'].map(said);
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...((addressing === 'path' || addressing === 'virtual') && { addressing }),
    ...(line.includes(' --no-sign-request') && { signRequest: false }),
  };
}

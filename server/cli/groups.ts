import type { Command } from 'commander';
import { bulkGroups } from './bulk/groups.js';

export interface Group {
  name: string;
  description: string;
  /** The command itself, with its options and subcommands. */
  load(): Promise<Command>;
}

/** What `svc-blob` offers. Nothing but the group that is called gets loaded. */
export const groups: Group[] = [
  {
    name: 'serve',
    description: 'run Blob Storage',
    load: async () => (await import('./serve.js')).serveCommand(),
  },
  {
    name: 'keys',
    description: 'create, list and revoke API keys, on the data itself',
    load: async () => (await import('./keys.js')).keysCommand(),
  },
  {
    name: 'scrub',
    description: 'read everything stored again and report rot, on the data itself',
    load: async () => (await import('./scrub.js')).scrubCommand(),
  },
  {
    name: 'tokens',
    description: 'create, list and revoke upload tokens, through the API',
    load: async () => (await import('./tokens.js')).tokensCommand(),
  },
  {
    name: 's3-credentials',
    description: 'create, list and delete key pairs of the S3 endpoint, through the API',
    load: async () => (await import('./s3-credentials.js')).s3CredentialsCommand(),
  },
  {
    name: 'files',
    description: 'list, read, upload, move, copy, link and delete files, through the API',
    load: async () => (await import('./files.js')).filesCommand(),
  },
  ...bulkGroups,
];

import { bulkGroups } from './bulk/groups.js';
import type { Group } from './group.js';

/** The commands of `svc-blob`, in the order of the help. */
export const groups: Group[] = [
  {
    name: 'serve',
    description: 'run the service',
    load: async () => (await import('./serve.js')).serveCommand(),
  },
  {
    name: 'keys',
    description: 'create, list and revoke API keys, directly in the data',
    load: async () => (await import('./keys.js')).keysCommand(),
  },
  {
    name: 'scrub',
    description: 'read all stored bytes and report damage, directly in the data',
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
  {
    name: 'completion',
    description: 'print a script that completes svc-blob in a shell',
    load: async () => (await import('./completion/completion.js')).completionCommand(groups),
  },
];

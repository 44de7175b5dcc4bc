import { bulkCommands } from './bulk/commands.js';
import type { CommandGroup, LazyCommand } from './lazy-command.js';

/** The commands of `svc-blob`, in the order of the help. */
export const commandGroups: CommandGroup[] = [
  {
    heading: 'Commands on the data directory or database:',
    commands: [
      { name: 'serve', summary: 'Run the service', load: async () => (await import('./serve.js')).serveCommand() },
      {
        name: 'keys',
        summary: 'Create, list and delete API keys',
        load: async () => (await import('./keys.js')).keysCommand(),
      },
      {
        name: 'users',
        summary: 'Create, list, invite and disable users',
        load: async () => (await import('./users.js')).usersCommand(),
      },
      {
        name: 'scrub',
        summary: 'Read all stored bytes and report damage',
        load: async () => (await import('./scrub.js')).scrubCommand(),
      },
    ],
  },
  {
    heading: 'Commands over the REST API:',
    commands: [
      {
        name: 'tokens',
        summary: 'Create, list and delete upload tokens',
        load: async () => (await import('./tokens.js')).tokensCommand(),
      },
      {
        name: 's3-credentials',
        summary: 'Create, list and delete key pairs of the S3 endpoint',
        load: async () => (await import('./s3-credentials.js')).s3CredentialsCommand(),
      },
      {
        name: 'files',
        summary: 'List, read, upload, move, copy, link and delete files',
        load: async () => (await import('./files.js')).filesCommand(),
      },
    ],
  },
  { heading: 'Commands over S3, for the service or any other store:', commands: bulkCommands },
  {
    heading: 'Other commands:',
    commands: [
      {
        name: 'completion',
        summary: 'Print a completion script for bash, zsh or fish',
        load: async () => (await import('./completion/completion.js')).completionCommand(commands),
      },
    ],
  },
];

export const commands: LazyCommand[] = commandGroups.flatMap((group) => group.commands);

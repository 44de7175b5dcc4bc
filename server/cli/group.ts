import type { Command } from 'commander';

/** A command of `svc-blob` with its subcommands. Its module is loaded when the command is called. */
export interface Group {
  name: string;
  description: string;
  load(): Promise<Command>;
}

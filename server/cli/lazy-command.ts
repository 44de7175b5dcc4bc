import type { Command } from 'commander';

/** A command of `svc-blob`. Its module is loaded when the command is called, so that the help and other commands start fast. */
export interface LazyCommand {
  name: string;
  /** One line for the list of commands in `svc-blob --help`. */
  summary: string;
  /** Loads the command with its flags and subcommands. */
  load(): Promise<Command>;
}

/** Commands that are listed under one heading in `svc-blob --help`. */
export interface CommandGroup {
  heading: string;
  commands: LazyCommand[];
}

#!/usr/bin/env node
import { Command } from 'commander';

/** `svc-blob`: each group of commands registers itself from a file of its own. */
const program = new Command('svc-blob')
  .description('Run Blob Storage, manage its keys and files, and move files in bulk over S3.')
  .showHelpAfterError('(add --help for what would be right)');

await program.parseAsync();

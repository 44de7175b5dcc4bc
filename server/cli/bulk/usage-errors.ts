import { advice } from '../../../src/bulk/error-advice.js';
import { CommanderError } from 'commander';
import { S3Error, toS3Error } from '../../../src/bulk/errors.js';
import { printJson } from '../output.js';
import { UsageError } from '../errors.js';
import { errorEvent } from './reporter.js';

/** Prints invalid use as a JSON event for `--json`. It is the only event of the command. */
export function printUsageError(error: unknown): void {
  // Commander reports the help as an error with exit code 0.
  if (error instanceof CommanderError && error.exitCode === 0) return;
  const isUsage = error instanceof CommanderError || error instanceof UsageError;
  const reported = isUsage ? new S3Error('InvalidOption', error.message.replace(/^error: /, '')) : toS3Error(error);
  printJson(errorEvent(reported, advice(reported)));
}

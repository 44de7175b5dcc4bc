import { advice } from '../../../src/bulk/error-advice.js';
import { CommanderError } from 'commander';
import { S3Error, toS3Error } from '../../../src/bulk/errors.js';
import { printJson } from '../output.js';
import { UsageError } from '../report-failure.js';
import { errorEvent } from './reporter.js';

/** Tells programs what people are told on stderr: of wrong use no event came before, and none comes after. */
export function tellWrongUse(error: unknown): void {
  // Help was asked for.
  if (error instanceof CommanderError && error.exitCode === 0) return;
  const isUse = error instanceof CommanderError || error instanceof UsageError;
  const told = isUse ? new S3Error('InvalidOption', error.message.replace(/^error: /, '')) : toS3Error(error);
  printJson(errorEvent(told, advice(told)));
}

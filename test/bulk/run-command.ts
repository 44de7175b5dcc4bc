import { runCommand, runCommandProcess } from '../cli/run-command.js';
import type { Outcome } from '../cli/run-command.js';
import { createFolder, s3Environment } from './s3-store.js';

const stateFolder = createFolder();

/** The environment of a command that uses the S3 engine, or a proxy in front of it, and keeps its journals in a test folder. */
export const commandEnvironment = (endpoint?: string) => ({ ...s3Environment(endpoint), XDG_STATE_HOME: stateFolder });

/** Runs `svc-blob` against the S3 engine in this process to its end. */
export const runSvcBlob = (...args: string[]): Promise<Outcome> => runCommand(args, commandEnvironment());

/** Runs `svc-blob` against the S3 engine as a process of its own to its end. */
export const runSvcBlobProcess = (...args: string[]): Promise<Outcome> => runCommandProcess(args, commandEnvironment());

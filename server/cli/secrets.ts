import { readFileSync } from 'node:fs';
import { environmentVariable } from './environment.js';
import { UsageError } from './errors.js';
import { printNote } from './output.js';

/** The flags and variables that a secret may come from. */
export interface SecretSource {
  /** Name of the flag that contains the secret, such as `--api-key`. The flag `<flagName>-file` names a file with it. */
  flagName: string;
  /** Value of the flag. */
  flag: string | undefined;
  /** Value of the flag `<flagName>-file`. The file `-` is standard input. */
  file: string | undefined;
  /** Name of the environment variable that contains the secret. The variable `<variableName>_FILE` names a file with it. */
  variableName: string;
  /** Tells whether the value of the flag contains a secret. @default () => true */
  isSecret?: (value: string) => boolean;
}

/** Flags whose warning has been printed. */
const warnedFlags = new Set<string>();
/** Secrets by file. Standard input can be read only once, but each request of a command reads the key. */
const secretsByFile = new Map<string, string>();

/**
 * Reads a secret from its flags or else from its variables. A file takes precedence. Warns about a secret in a flag, because every
 * user of the machine can read it in the process list.
 * @throws UsageError if both flag and file are given, or if the file cannot be read or is empty
 */
export function readSecret({ flag, flagName, file, variableName, isSecret = () => true }: SecretSource): string | undefined {
  const fileFlag = `${flagName}-file`;
  const fileVariable = `${variableName}_FILE`;
  if (flag !== undefined && file !== undefined) throw new UsageError(`use either ${flagName} or ${fileFlag}, not both`);
  if (file !== undefined) return readSecretFile(file, fileFlag);
  if (flag === undefined) {
    const path = environmentVariable(fileVariable);
    return path === undefined ? environmentVariable(variableName) : readSecretFile(path, fileVariable);
  }
  if (isSecret(flag) && !warnedFlags.has(flagName)) {
    warnedFlags.add(flagName);
    printNote(
      `warning: other users of this machine can read ${flagName} in the process list. Use ${variableName} or ${fileVariable}.`,
    );
  }
  return flag;
}

/** Reads a secret from a file. The file `-` is standard input. @throws UsageError if the file cannot be read or is empty */
export function readSecretFile(path: string, fileName: string): string {
  const known = secretsByFile.get(path);
  if (known !== undefined) return known;
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8').trim();
  } catch (cause) {
    throw new UsageError(`cannot read ${fileName} ${path}: ${(cause as Error).message}`, { cause });
  }
  if (text === '') throw new UsageError(`${fileName} ${path} is empty`);
  secretsByFile.set(path, text);
  return text;
}

/** Forgets secrets and warnings, so that another run in the same process begins like a new process. */
export function forgetSecrets(): void {
  warnedFlags.clear();
  secretsByFile.clear();
}

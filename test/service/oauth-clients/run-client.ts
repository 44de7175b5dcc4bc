import { spawn } from 'node:child_process';
import { allowRequest } from '../oauth-flow.js';

export interface RunOptions {
  /** Cookie of the user who allows the request of the program. */
  cookie: string;
  env?: NodeJS.ProcessEnv;
  /** Ends a program that would run on, as soon as it has printed this text. */
  until?: string;
}

/** Runs a client that prints the address of its authorization request and waits on a local port for the result. */
export async function runClient(
  args: string[],
  { cookie, env = process.env, until }: RunOptions,
): Promise<{ code: number | null; output: string }> {
  const program = spawn(process.execPath, args, { env });
  let output = '';
  let isAllowed = false;
  const allow = async (url: URL): Promise<void> => {
    try {
      await fetch(await allowRequest(url, cookie));
    } catch (error) {
      output += String(error);
      program.kill();
    }
  };
  const onOutput = (chunk: Buffer): void => {
    output += chunk.toString();
    if (until !== undefined && output.includes(until)) program.kill();
    const url = /http\S+\/oauth\/authorize\?\S+(?=\s)/.exec(output)?.[0];
    if (url === undefined || isAllowed) return;
    isAllowed = true;
    void allow(new URL(url));
  };
  program.stdout.on('data', onOutput);
  program.stderr.on('data', onOutput);
  const code = await new Promise<number | null>((resolve) => program.on('close', resolve));
  return { code, output };
}

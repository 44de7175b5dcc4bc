import { spawn } from 'node:child_process';

/** The end of its output that a failed command repeats, in characters. Test runners list their failures at the end. */
const REPEATED_OUTPUT = 6000;

/** A command that ended with a status other than 0, or by a signal. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  /** @param lastOutput the end of what the command printed, empty if it wrote to a terminal */
  constructor(
    message: string,
    readonly lastOutput: string,
  ) {
    super(message);
  }
}

/** Runs a command of `node_modules` and shows its output. @throws CommandError if it fails */
export function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  // A terminal shows progress, which a pipe would hide.
  return start(command, args, env, process.stdout.isTTY ? 'inherit' : (data) => process.stdout.write(data));
}

/** Runs a command like `run`, but prints its output after its end, because another command runs beside it. */
export async function runInBackground(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const output: Buffer[] = [];
  await start(command, args, env, (data) => output.push(data)).finally(() => process.stdout.write(Buffer.concat(output)));
}

/** Waits for the end of all commands. @throws the error of the first one that failed */
export async function waitForAll(...commands: Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(commands)) if (outcome.status === 'rejected') throw outcome.reason;
}

function start(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  output: 'inherit' | ((data: Buffer) => void),
): Promise<void> {
  return new Promise((resolve, reject) => {
    const path = `${process.cwd()}/node_modules/.bin:${process.env['PATH']}`;
    const stdio = output === 'inherit' ? output : 'pipe';
    const child = spawn(command, args, { stdio: ['inherit', stdio, stdio], env: { ...process.env, PATH: path, ...env } });
    let lastOutput = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data: Buffer) => {
        if (output !== 'inherit') output(data);
        lastOutput = (lastOutput + data.toString()).slice(-REPEATED_OUTPUT);
      });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new CommandError(`${command} ${args.join(' ')}: ${signal ?? `exit ${code}`}`, lastOutput));
    });
  });
}

import { spawn } from 'node:child_process';

/** Runs a command of `node_modules` and shows its output. @throws Error that names the command if it fails */
export function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  return start(command, args, env, 'inherit');
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
    if (output !== 'inherit') for (const stream of [child.stdout, child.stderr]) stream!.on('data', output);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')}: ${signal ?? `exit ${code}`}`));
    });
  });
}

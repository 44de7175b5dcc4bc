import { spawn } from 'node:child_process';

/** Runs a command of `node_modules` and shows its output. @throws Error that names the command if it fails */
export function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const path = `${process.cwd()}/node_modules/.bin:${process.env['PATH']}`;
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, PATH: path, ...env } });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')}: ${signal ?? `exit ${code}`}`));
    });
  });
}

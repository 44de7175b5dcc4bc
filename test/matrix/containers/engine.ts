import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const OUTPUT = { maxBuffer: 64 * 1024 * 1024 };

/** Returns whether `docker` reaches an engine. */
export const hasEngine = (): boolean => spawnSync('docker', ['info']).status === 0;

/** Runs `docker`. @returns its standard output @throws Error with its standard error */
export async function docker(args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  return (await run('docker', args, { ...OUTPUT, env: { ...process.env, ...env } })).stdout.trim();
}

/** Runs Compose, as a plugin of Docker or as its own program. */
export async function compose(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const isPlugin = spawnSync('docker', ['compose', 'version']).status === 0;
  const [command, first] = isPlugin ? ['docker', ['compose']] : ['docker-compose', []];
  return (await run(command, [...first, ...args], { ...OUTPUT, env: { ...process.env, ...env } })).stdout.trim();
}

/** Debian packages that stand for the images of other projects. */
const PACKAGES = ['ca-certificates', 'libstdc++6', 'postgresql', 'nginx-light'];

/**
 * Creates an image with Node, PostgreSQL and nginx from Debian's packages, because not every machine reaches an image registry.
 * It keeps the image for later runs. It trusts the certificates of this machine, through which npm may be reached.
 */
export async function createBaseImage(name: string): Promise<void> {
  if (await docker(['image', 'inspect', name]).catch(() => false)) return;
  const folder = await mkdtemp(join(tmpdir(), 'svc-image-'));
  try {
    await run('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, 'bookworm', folder], OUTPUT);
    const modules = join(folder, 'usr/local/lib/node_modules');
    await mkdir(modules, { recursive: true });
    const npm = join(dirname(process.execPath), '../lib/node_modules/npm');
    await cp(process.execPath, join(folder, 'usr/local/bin/node'));
    await cp(npm, join(modules, 'npm'), { recursive: true, dereference: true });
    const linkNpm = 'ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm';
    await run('chroot', [folder, 'sh', '-c', linkNpm]);
    const certificates = '/etc/ssl/certs/ca-certificates.crt';
    await cp(certificates, join(folder, certificates));
    const settings = [
      '-c',
      `ENV NODE_EXTRA_CA_CERTS=${certificates}`,
      '-c',
      'ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    ];
    await run(
      'sh',
      ['-c', `tar -C ${folder} -c . | docker import ${settings.map((text) => `'${text}'`).join(' ')} - ${name}`],
      OUTPUT,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Installs Debian packages if root runs the tests on Debian.
 *
 * @param files paths that exist once the packages are installed
 * @returns whether all of the files exist afterwards
 */
export function installPackages(packages: readonly string[], files: readonly string[]): boolean {
  if (files.every((file) => existsSync(file))) return true;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  // Another process may hold the lock of dpkg.
  const patient = ['-o', 'DPkg::Lock::Timeout=120'];
  try {
    execFileSync('apt-get', ['update', ...patient], options);
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...patient, ...packages], options);
  } catch {
    return false;
  }
  return files.every((file) => existsSync(file));
}

/** Finds a program in PATH. @returns its path, or undefined */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':').filter(Boolean);
  return folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path));
}

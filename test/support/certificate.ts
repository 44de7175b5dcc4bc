import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Creates a self-signed certificate for 127.0.0.1 and its key with openssl. @returns the paths of both PEM files */
export function createCertificate(folder: string): { key: string; cert: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject];
  execFileSync('openssl', made, { stdio: 'ignore' });
  return { key, cert };
}

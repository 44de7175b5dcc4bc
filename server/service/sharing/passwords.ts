import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const HASH_BYTES = 32;

/** Hashes a password with a salt and scrypt (Node's default cost, 2^14), which makes guessing slow. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString('base64')}:${(await derive(password.normalize('NFC'), salt, HASH_BYTES)).toString('base64')}`;
}

/** Compares a password with a hash in constant time. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [salt = '', hash = ''] = stored.split(':');
  const derived = await derive(password.normalize('NFC'), Buffer.from(salt, 'base64'), HASH_BYTES);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64'));
}

import { randomBytes, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { COMMON_PASSWORDS } from '../../server/service/identity/users/common-passwords.js';
import { assertNewPassword, PasswordHasher, passwordProblem } from '../../server/service/identity/users/passwords.js';

const cheap = () => new PasswordHasher({ logN: 10 });

describe('the hash of a password', () => {
  it('states its parameters, which are those of the contract', async () => {
    expect(await new PasswordHasher().hash('correct horse')).toMatch(
      /^\$scrypt\$ln=17,r=8,p=1\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}$/,
    );
  });

  it('matches only its password, in any normal form', async () => {
    const hasher = cheap();
    const stored = await hasher.hash('caf\u00e9 au lait');

    expect(await hasher.compare('cafe\u0301 au lait', stored)).toEqual({ isCorrect: true, isOutdated: false });
    expect(await hasher.compare('cafe au lait', stored)).toEqual({ isCorrect: false, isOutdated: false });
  });

  it('is outdated if its parameters differ from those of new hashes', async () => {
    const stored = await cheap().hash('correct horse');

    expect(await new PasswordHasher({ logN: 11 }).compare('correct horse', stored)).toEqual({
      isCorrect: true,
      isOutdated: true,
    });
  });

  it('is read in the form of earlier releases, and is outdated then', async () => {
    const salt = randomBytes(16);
    const stored = `${salt.toString('base64')}:${scryptSync('correct horse', salt, 32).toString('base64')}`;

    expect(await cheap().compare('correct horse', stored)).toEqual({ isCorrect: true, isOutdated: true });
    expect(await cheap().compare('wrong', stored)).toMatchObject({ isCorrect: false });
  });

  it('is computed for an unknown user too, and never correct', async () => {
    const hasher = cheap();

    expect(await hasher.compare('anything', undefined)).toEqual({ isCorrect: false, isOutdated: false });
    expect(hasher.computed).toBe(1);
  });

  it.each(['none', '', ':', '$scrypt$ln=17'])('never matches if it is damaged: "%s"', async (stored) => {
    expect(await cheap().compare('', stored)).toMatchObject({ isCorrect: false });
  });
});

describe('the queue of hashes', () => {
  it('computes two at a time and refuses more than its bound', async () => {
    const hasher = new PasswordHasher({ logN: 14, maxRunning: 2, maxWaiting: 3 });

    const results = await Promise.allSettled(Array.from({ length: 8 }, () => hasher.hash('correct horse')));

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'SERVICE_UNAVAILABLE', status: 503, details: { retry_after: 5 } },
    });
    expect(hasher.computed).toBe(5);
  });

  it('drops a request whose client has gone, and goes on', async () => {
    const hasher = new PasswordHasher({ logN: 12, maxRunning: 1 });
    const client = new AbortController();
    const first = hasher.hash('first password');
    const dropped = hasher.hash('second password', client.signal);
    const last = hasher.hash('third password');

    client.abort(new Error('gone'));

    await expect(dropped).rejects.toThrow('gone');
    await Promise.all([first, last]);
    expect(hasher.computed).toBe(2);
  });
});

describe('a new password', () => {
  it('has 8 to 256 characters', () => {
    expect(passwordProblem('x7!kQ2z')).toBe('short');
    expect(passwordProblem('x7!kQ2z_')).toBeUndefined();
    expect(passwordProblem('ü'.repeat(256))).toBeUndefined();
    expect(passwordProblem('ü'.repeat(257))).toBe('long');
  });

  it('is none of the 3,000 most common ones', () => {
    expect(COMMON_PASSWORDS.size).toBe(3000);
    for (const password of ['password', 'PassWord', '12345678', 'iloveyou', 'trustno1'])
      expect([password, passwordProblem(password)]).toEqual([password, 'common']);
  });

  it('is refused with a message that does not contain it', () => {
    expect(() => assertNewPassword('sunshine')).toThrow(/^`password` must not be one of the most common passwords/);
    expect(() => assertNewPassword('1234')).toThrow('`password` must have 8 to 256 characters; got 4.');
  });
});

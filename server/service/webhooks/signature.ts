import { createHmac, randomBytes } from 'node:crypto';

/** The prefix of secrets. @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const SECRET_PREFIX = 'whsec_';

/** Creates a secret: its prefix and 256 random bits in base64. */
export const newWebhookSecret = (): string => SECRET_PREFIX + randomBytes(32).toString('base64');

/**
 * Signs a message for each secret. @param timestamp seconds since 1970.
 * @returns the value of `webhook-signature`.
 */
export function signMessage(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}

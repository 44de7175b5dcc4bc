import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../server/helper/index.js';
import { newWebhookSecret, signMessage } from '../../server/service/webhooks/signature.js';

const secret = newWebhookSecret();
const body = JSON.stringify({ type: 'file.deleted', timestamp: '2026-01-01T00:00:00.000Z', data: { reason: 'expired' } });
const seconds = () => Math.floor(Date.now() / 1000);

/** A request signed by the published library. */
function signed({ with: by = secret, at = seconds(), id = 'msg_1', text = body } = {}) {
  const signature = new Webhook(by).sign(id, new Date(at * 1000), text);
  return { 'webhook-id': id, 'webhook-timestamp': `${at}`, 'webhook-signature': signature };
}

const reasonOf = (received: Parameters<typeof verifyWebhook>[0], options = { secret } as Parameters<typeof verifyWebhook>[1]) =>
  verifyWebhook(received, options).then(
    () => 'accepted',
    (cause: { code: string; details: { reason: string } }) => `${cause.code} ${cause.details.reason ?? ''}`.trim(),
  );

describe('verifyWebhook', () => {
  it('returns the event of a request that the published library signed, from text, bytes and any kind of headers', async () => {
    const headers = signed();
    const event = JSON.parse(body) as object;
    expect(await verifyWebhook({ body, headers }, { secret })).toEqual(event);
    expect(await verifyWebhook({ body: Buffer.from(body), headers: new Headers(headers) }, { secret })).toEqual(event);
    const inOtherCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(await verifyWebhook({ body, headers: inOtherCase }, { secret })).toEqual(event);
  });

  it('accepts either secret of a rotation', async () => {
    const newer = newWebhookSecret();
    const at = seconds();
    const both = {
      ...signed(),
      'webhook-signature': signMessage([newer, secret], 'msg_1', at, body),
      'webhook-timestamp': `${at}`,
    };
    expect(await reasonOf({ body, headers: both })).toBe('accepted');
    expect(await reasonOf({ body, headers: both }, { secret: newer })).toBe('accepted');
    expect(await reasonOf({ body, headers: signed() }, { secret: [newer, secret] })).toBe('accepted');
    expect(new Webhook(newer).verify(body, both)).toEqual(JSON.parse(body));
  });

  it.each([
    ['another body', { body: `${body} `, headers: signed() }, 'signature'],
    ['another secret', { body, headers: signed({ with: newWebhookSecret() }) }, 'signature'],
    ['another id', { body, headers: { ...signed(), 'webhook-id': 'msg_2' } }, 'signature'],
    ['no signature', { body, headers: { ...signed(), 'webhook-signature': undefined } }, 'headers'],
    ['a signature of an unknown version', { body, headers: { ...signed(), 'webhook-signature': 'v9,AAAA' } }, 'signature'],
    ['a signature that is no base64', { body, headers: { ...signed(), 'webhook-signature': 'v1,%%%' } }, 'signature'],
    ['an old timestamp', { body, headers: signed({ at: seconds() - 400 }) }, 'timestamp'],
    ['a timestamp in the future', { body, headers: signed({ at: seconds() + 400 }) }, 'timestamp'],
    ['a timestamp that is no number', { body, headers: { ...signed(), 'webhook-timestamp': 'NaN' } }, 'timestamp'],
    ['no JSON', { body: 'x', headers: signed({ text: 'x' }) }, 'body'],
  ])('refuses %s', async (_name, received, reason) => expect(await reasonOf(received)).toBe(`WEBHOOK_INVALID ${reason}`));

  it.each([undefined, '', 'whsec_', 'whsec_AAAA', [], [undefined]])('refuses %j as the secret', async (missing) =>
    expect(await reasonOf({ body, headers: signed() }, { secret: missing as unknown as string })).toBe('VALIDATION_ERROR'),
  );
});

/** Creates 128 random bits in hex, the least that the service takes. `randomUUID` has 122 and needs a secure context. */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

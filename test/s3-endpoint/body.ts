/** All bytes of a body the SDK has answered. */
export const bytesOf = async (body: unknown): Promise<Buffer> =>
  Buffer.from(await (body as { transformToByteArray(): Promise<Uint8Array> }).transformToByteArray());

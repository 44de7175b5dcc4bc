/** Reads the body of an SDK response. */
export const bytesOf = async (body: unknown): Promise<Buffer> =>
  Buffer.from(await (body as { transformToByteArray(): Promise<Uint8Array> }).transformToByteArray());

/** Reads a whole body; undefined as soon as it is larger than `most` bytes. */
export const readBounded = async (
  stream: AsyncIterable<Buffer>,
  most: number,
): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/**
 * A copy in a memory block of exactly its size, for bytes that are kept. Node cuts buffers below
 * 32 KiB out of blocks of 64 KiB, and zlib hands out parts of 16 KiB: a kept part keeps all of its block.
 */
export const exactBytes = (...parts: readonly Uint8Array[]): Buffer<ArrayBuffer> => {
  const exact = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    exact.set(part, at);
    at += part.length;
  }
  return exact;
};

/** Growing buffer of bytes and bits. `clear` keeps its memory for reuse. */
export class ByteSink {
  #bytes: Buffer;
  #used = 0;
  #held = 0; // bits not yet written
  #bits = 0; // their number, below 8 between calls

  constructor(room = 1024) {
    this.#bytes = Buffer.allocUnsafe(room);
  }

  get length(): number {
    return this.#used;
  }

  clear(): void {
    this.#used = 0;
  }

  /** The bytes so far; valid until the next write. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  reserve(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + bytes));
    this.#bytes.copy(grown, 0, 0, this.#used);
    this.#bytes = grown;
  }

  byte(value: number): void {
    this.reserve(1);
    this.#bytes[this.#used++] = value;
  }

  /** A whole number of 32 bits, the lowest byte first. */
  word(value: number): void {
    this.reserve(4);
    this.#used = this.#bytes.writeUInt32LE(value, this.#used);
  }

  /** An integer of either sign as 32 bits. */
  shortInteger(value: number): void {
    this.reserve(4);
    this.#used = this.#bytes.writeInt32LE(value, this.#used);
  }

  /** A safe integer as 64 bits. */
  integer(value: number): void {
    this.reserve(8);
    const high = Math.floor(value / 0x1_0000_0000);
    this.#bytes.writeUInt32LE(value - high * 0x1_0000_0000, this.#used);
    this.#bytes.writeInt32LE(high, this.#used + 4);
    this.#used += 8;
  }

  double(value: number): void {
    this.reserve(8);
    this.#used = this.#bytes.writeDoubleLE(value, this.#used);
  }

  append(from: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    if (end - start > 32) from.copy(this.#bytes, this.#used, start, end);
    else for (let i = start; i < end; i++) this.#bytes[this.#used + i - start] = from[i] ?? 0;
    this.#used += end - start;
  }

  /** Text in UTF-8. @returns how many bytes it took */
  text(value: string): number {
    this.reserve(value.length * 3);
    const bytes = this.#bytes.write(value, this.#used, 'utf8');
    this.#used += bytes;
    return bytes;
  }

  /** A whole number from 0 to 2^53 in groups of seven bits. */
  varint(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.byte((rest % 128) | 128);
    this.byte(rest);
  }

  /** A safe integer of either sign: 0, -1, 1, -2 ... as 0, 1, 2, 3 ... */
  zigzag(value: number): void {
    if (Math.abs(value) < 2 ** 51) {
      this.varint(value >= 0 ? value * 2 : value * -2 - 1);
      return;
    }
    let rest = value >= 0 ? BigInt(value) * 2n : BigInt(value) * -2n - 1n;
    for (; rest > 127n; rest >>= 7n) this.byte(Number(rest & 127n) | 128);
    this.byte(Number(rest));
  }

  /** Numbers below 2^width (at most 2^53), lowest bits first; ends on a whole byte. */
  pack(
    numbers: Float64Array | Uint32Array | Uint8Array,
    from: number,
    to: number,
    width: number,
  ): void {
    this.reserve(Math.ceil(((to - from) * width) / 8) + 8);
    if (width % 8 === 0) for (let i = from; i < to; i++) this.#whole(numbers[i] ?? 0, width);
    else if (width <= 24) for (let i = from; i < to; i++) this.#push(numbers[i] ?? 0, width);
    else
      for (let i = from; i < to; i++) {
        let rest = numbers[i] ?? 0;
        let left = width;
        for (; left > 24; left -= 24) {
          const high = Math.floor(rest / 0x100_0000);
          this.#push(rest - high * 0x100_0000, 24);
          rest = high;
        }
        this.#push(rest, left);
      }
    if (this.#bits > 0) this.#bytes[this.#used++] = this.#held;
    this.#held = this.#bits = 0;
  }

  /** A number below 2^width, which is whole bytes. */
  #whole(value: number, width: number): void {
    let rest = value;
    for (let left = width; left > 24; left -= 8) {
      this.#bytes[this.#used++] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    for (let left = Math.min(width, 24); left > 0; left -= 8) {
      this.#bytes[this.#used++] = rest & 255;
      rest >>>= 8;
    }
  }

  #push(value: number, width: number): void {
    this.#held |= value << this.#bits;
    this.#bits += width;
    for (; this.#bits >= 8; this.#bits -= 8) {
      this.#bytes[this.#used++] = this.#held & 255;
      this.#held >>>= 8;
    }
  }
}

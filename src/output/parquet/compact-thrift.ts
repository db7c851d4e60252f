import type { Struct, ThriftOutput } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import { ByteSink } from './byte-sink.ts';

/** The compact protocol's numbers for thrift's types. */
const COMPACT = new Map([
  [3, 3], // byte
  [8, 5], // i32
  [10, 6], // i64
  [11, 8], // string
  [12, 12], // struct
  [15, 9], // list
]);
const BOOL = 2;
const [TRUE, FALSE] = [1, 2];
const STOP = 0;
/** Field steps and list lengths from here on take an extra byte. */
const SHORT = 15;

const compactOf = (type: number): number => {
  const compact = COMPACT.get(type);
  if (compact === undefined) throw new Error(`Thrift's type ${type} is not written here.`);
  return compact;
};

/** Thrift's compact protocol, as the structures of Parquet write themselves to it. */
class CompactOutput implements ThriftOutput {
  readonly #sink: ByteSink;
  /** The field before, in the structure that is written; 0 at its start. */
  #last = 0;
  /** The same of the structures around it. */
  readonly #outer: number[] = [];
  /** A truth's field, whose header waits for what it is. */
  #truth = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  writeStructBegin(): void {
    this.#outer.push(this.#last);
    this.#last = 0;
  }

  writeStructEnd(): void {
    this.#last = this.#outer.pop() ?? 0;
  }

  writeFieldBegin(_name: string, type: number, id: number): void {
    if (type === BOOL) this.#truth = id;
    else this.#field(compactOf(type), id);
  }

  writeFieldEnd(): void {}

  writeFieldStop(): void {
    this.#sink.byte(STOP);
  }

  writeBool(value: boolean): void {
    this.#field(value ? TRUE : FALSE, this.#truth);
  }

  writeByte(value: number): void {
    this.#sink.byte(value);
  }

  writeI32(value: number): void {
    this.#sink.zigzag(value);
  }

  writeI64(value: number): void {
    this.#sink.zigzag(value);
  }

  writeString(value: string | Buffer): void {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    this.#sink.varint(bytes.length);
    this.#sink.append(bytes, 0, bytes.length);
  }

  writeListBegin(type: number, length: number): void {
    const short = length < SHORT;
    this.#sink.byte(((short ? length : SHORT) << 4) | compactOf(type));
    if (!short) this.#sink.varint(length);
  }

  writeListEnd(): void {}

  #field(compact: number, id: number): void {
    const step = id - this.#last;
    if (step > 0 && step <= SHORT) this.#sink.byte((step << 4) | compact);
    else {
      this.#sink.byte(compact);
      this.#sink.zigzag(id);
    }
    this.#last = id;
  }
}

const sink = new ByteSink();

/** The bytes of a structure. The library's own writer makes a buffer for each of them. */
export const compactThrift = (struct: Struct): Buffer => {
  sink.clear();
  struct.write(new CompactOutput(sink));
  return Buffer.from(sink.view());
};

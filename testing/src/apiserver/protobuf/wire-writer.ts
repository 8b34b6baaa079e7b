import { BYTES, FIXED_64, VARINT } from './wire-reader.ts';

/** Writes one message in the wire format of protobuf. Zero values are omitted, as in proto3. */
export class WireWriter {
  readonly #parts: Buffer[] = [];
  #length = 0;

  text(number: number, value: string): void {
    if (value !== '') this.bytes(number, Buffer.from(value, 'utf8'));
  }

  bool(number: number, value: boolean): void {
    if (value) this.int(number, 1);
  }

  /** Writes a 64-bit integer. Negative numbers are written in two's complement. */
  int(number: number, value: number | bigint): void {
    const integer = BigInt(value);
    if (integer === 0n) return;
    this.#add(varint((number << 3) | VARINT));
    this.#add(varint(BigInt.asUintN(64, integer)));
  }

  double(number: number, value: number): void {
    if (value === 0) return;
    const eight = Buffer.alloc(8);
    eight.writeDoubleLE(value);
    this.#add(varint((number << 3) | FIXED_64));
    this.#add(eight);
  }

  /** Writes a message, a string or an item of a list. Empty values are written too. */
  bytes(number: number, value: Buffer): void {
    this.#add(varint((number << 3) | BYTES));
    this.#add(varint(value.length));
    this.#add(value);
  }

  done(): Buffer {
    return Buffer.concat(this.#parts, this.#length);
  }

  #add(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
  }
}

function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt(value);
  while (left > 0x7fn) {
    bytes.push(Number(left & 0x7fn) | 0x80);
    left >>= 7n;
  }
  bytes.push(Number(left));
  return Buffer.from(bytes);
}

import { BYTES, FIXED_64, VARINT } from './wire-reader.ts';

/** Writes one message of the wire format of protobuf. Zero values are left out, as proto3 does. */
export class WireWriter {
  readonly #parts: Buffer[] = [];
  #length = 0;

  text(number: number, value: string): void {
    if (value !== '') this.bytes(number, Buffer.from(value, 'utf8'));
  }

  bool(number: number, value: boolean): void {
    if (value) this.int(number, 1);
  }

  /** An integer of 64 bits. Negative numbers are written as their two's complement. */
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

  /** A message, a text or an item of a list, also when it is empty. */
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

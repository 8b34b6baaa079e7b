/** The error for bytes that are not a message of the expected type. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** The encodings of a field's value. */
export const VARINT = 0;
export const FIXED_64 = 1;
export const BYTES = 2;
const START_GROUP = 3;
const END_GROUP = 4;
const FIXED_32 = 5;

/** Reads one message in the wire format of protobuf, from its first byte to its last. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /**
   * Reads the tag of a field.
   * @throws WireError for an invalid tag.
   */
  tag(): { readonly number: number; readonly wireType: number } {
    const tag = Number(this.varint() & 0xffff_ffffn);
    const [number, wireType] = [tag >>> 3, tag & 7];
    if (wireType === END_GROUP) throw new WireError('proto: wiretype end group for non-group');
    if (number === 0) throw new WireError(`proto: illegal tag ${number} (wire type ${tag})`);
    return { number, wireType };
  }

  /** Reads an unsigned number of up to 64 bits. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new WireError('unexpected EOF');
      this.#at++;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('proto: integer overflow');
  }

  double(): number {
    return this.#take(8).readDoubleLE(0);
  }

  /** Reads the bytes of a string, a message or packed numbers. Returns a view, not a copy. */
  bytes(): Buffer {
    const length = this.varint();
    if (length > BigInt(this.#bytes.length)) throw new WireError('unexpected EOF');
    return this.#take(Number(length));
  }

  /** Skips the value of an unknown field. */
  skip(wireType: number): void {
    if (wireType === VARINT) this.varint();
    else if (wireType === FIXED_64) this.#take(8);
    else if (wireType === BYTES) this.bytes();
    else if (wireType === FIXED_32) this.#take(4);
    else if (wireType === START_GROUP) this.#skipGroup();
    else throw new WireError(`proto: illegal wireType ${wireType}`);
  }

  #skipGroup(): void {
    for (let open = 1; open > 0; ) {
      const wireType = Number(this.varint() & 7n);
      if (wireType === START_GROUP) open++;
      else if (wireType === END_GROUP) open--;
      else this.skip(wireType);
    }
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new WireError('unexpected EOF');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}

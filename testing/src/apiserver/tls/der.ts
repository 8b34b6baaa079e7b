/** The few values of DER (X.690) that a certificate is made of, each with its tag and its length. */

/** Any value; `content` is what the tag says that it is. */
export function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body)]), body]);
}

/** A length in as few bytes as it takes. */
function lengthOf({ length }: Buffer): readonly number[] {
  if (length < 0x80) return [length];
  if (length < 0x100) return [0x81, length];
  return [0x82, length >> 8, length & 0xff];
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

/** A whole number that is not negative, from its bytes: as few as it takes, and none that means minus. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  const isNegative = ((digits[0] ?? 0) & 0x80) !== 0;
  return der(0x02, isNegative ? Buffer.from([0]) : Buffer.alloc(0), digits);
}

/** An object identifier, from its encoding. */
export function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

export function octets(content: Buffer): Buffer {
  return der(0x04, content);
}

/** @param unused - bits at the end of `content` that do not count. */
export function bits(content: Buffer, unused = 0): Buffer {
  return der(0x03, Buffer.from([unused]), content);
}

export function text(value: string): Buffer {
  return der(0x0c, Buffer.from(value));
}

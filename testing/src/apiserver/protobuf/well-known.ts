import { goMicroTime, goTime } from '../objects/go-time.ts';
import { BYTES, VARINT, WireError, WireReader } from './wire-reader.ts';

/** Converts a message that has its own JSON representation. Returns undefined when JSON omits the value. */
export type ReadForm = (bytes: Buffer) => unknown;

/** Types with their own JSON representation that do not contain values of other types. */
export const FORMS: Readonly<Record<string, ReadForm>> = {
  Time: (bytes) => {
    const moment = timestamp(bytes);
    return moment === undefined ? undefined : textOf(goTime(`${moment.seconds}Z`));
  },
  MicroTime: (bytes) => {
    const moment = timestamp(bytes);
    if (moment === undefined) return undefined;
    const micros = String(Math.trunc(moment.nanos / 1000)).padStart(6, '0');
    return textOf(goMicroTime(`${moment.seconds}.${micros}Z`));
  },
  Quantity: (bytes) => bytesOf(bytes).get(1)?.toString('utf8') || '0',
  IntOrString: intOrString,
};

/** Reads `{ seconds, nanos }`. An empty message is the unset time. */
function timestamp(bytes: Buffer): { seconds: string; nanos: number } | undefined {
  if (bytes.length === 0) return undefined;
  const numbers = numbersOf(bytes);
  const seconds = Number(BigInt.asIntN(64, numbers.get(1) ?? 0n));
  const nanos = Number(BigInt.asIntN(32, numbers.get(2) ?? 0n));
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  // This is Go's error for a time that RFC 3339 cannot express.
  if (!(year >= 0 && year <= 9999) || nanos < 0 || nanos >= 1e9) {
    throw new WireError('Time.MarshalJSON: year outside of range [0,9999]');
  }
  return { seconds: date.toISOString().slice(0, 19), nanos };
}

function textOf(read: { text: string } | { problem: string }): string | undefined {
  return 'text' in read ? read.text : undefined;
}

function intOrString(bytes: Buffer): unknown {
  const numbers = numbersOf(bytes);
  if (numbers.get(1) === 1n) return bytesOf(bytes).get(3)?.toString('utf8') ?? '';
  return Number(BigInt.asIntN(32, numbers.get(2) ?? 0n));
}

/** The numbers in a message, keyed by field number. Other fields are skipped. */
export function numbersOf(bytes: Buffer): ReadonlyMap<number, bigint> {
  const reader = new WireReader(bytes);
  const numbers = new Map<number, bigint>();
  while (!reader.done) {
    const { number, wireType } = reader.tag();
    if (wireType === VARINT) numbers.set(number, reader.varint());
    else reader.skip(wireType);
  }
  return numbers;
}

/**
 * The strings and messages in a message, keyed by field number. If a field occurs several times, the last
 * value counts. Numbers are skipped.
 */
export function bytesOf(bytes: Buffer): ReadonlyMap<number, Buffer> {
  return new Map([...allBytesOf(bytes)].map(([number, all]) => [number, all.at(-1) ?? EMPTY]));
}

const EMPTY = Buffer.alloc(0);

/** All strings and messages in a message, keyed by field number. */
export function allBytesOf(bytes: Buffer): ReadonlyMap<number, readonly Buffer[]> {
  const reader = new WireReader(bytes);
  const found = new Map<number, Buffer[]>();
  while (!reader.done) {
    const { number, wireType } = reader.tag();
    if (wireType !== BYTES) {
      reader.skip(wireType);
      continue;
    }
    const all = found.get(number) ?? [];
    all.push(reader.bytes());
    found.set(number, all);
  }
  return found;
}

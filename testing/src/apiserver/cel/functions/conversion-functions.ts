import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { ownName } from '../expression/own-names.ts';

const TIMESTAMP = 'google.protobuf.Timestamp';
const DURATION = 'google.protobuf.Duration';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

/**
 * Registers the conversions `bool`, `int`, `uint`, `double`, `duration` and `timestamp` with the behaviour of
 * cel-go (common/types).
 */
export function registerConversions(environment: CelEnvironment): void {
  const declare = (signature: string, convert: (value: never) => unknown): void => {
    environment.registerFunction(ownName(signature), convert);
  };
  const Unsigned = classOf<bigint>(environment, '1u');
  const uint = (value: bigint): unknown => new Unsigned(value);
  const same = (value: never): unknown => value;
  declare('bool(bool): bool', same);
  declare('bool(string): bool', boolOf);
  declare('int(int): int', same);
  declare('int(uint): int', (value: object) => intOf(BigInt(String(value))));
  declare('int(double): int', intOfDouble);
  declare('int(string): int', intOfText);
  declare(`int(${TIMESTAMP}): int`, (time: Date) => BigInt(Math.floor(time.getTime() / 1000)));
  declare(`int(${DURATION}): int`, ({ seconds, nanos }: Duration) => nanosOf(seconds, nanos));
  declare('uint(uint): uint', same);
  declare('uint(int): uint', (value: bigint) => uint(uintOf(value)));
  declare('uint(double): uint', (value: number) => uint(uintOfDouble(value)));
  declare('uint(string): uint', (text: string) => uint(uintOfText(text)));
  declare('double(double): double', same);
  declare('double(int): double', (value: bigint) => Number(value));
  declare('double(uint): double', (value: object) => Number(value));
  declare('double(string): double', doubleOfText);
  declare(`timestamp(${TIMESTAMP}): ${TIMESTAMP}`, same);
  declare(`timestamp(int): ${TIMESTAMP}`, (seconds: bigint) => timeOf(Number(seconds) * 1000));
  declare(`timestamp(string): ${TIMESTAMP}`, timeOfText);
  registerDurations(environment, declare);
}

interface Duration {
  readonly seconds: bigint;
  readonly nanos: number;
}

function registerDurations(
  environment: CelEnvironment,
  declare: (signature: string, convert: (value: never) => unknown) => void,
): void {
  const Made = classOf<bigint>(environment, 'duration("1s")');
  const duration = (nanos: bigint): unknown =>
    new Made(nanos / NANOS_OF_SECOND, Number(nanos % NANOS_OF_SECOND));
  declare(`duration(${DURATION}): ${DURATION}`, (value) => value);
  // cel-go declares this conversion, but it fails for every value.
  declare(`duration(int): ${DURATION}`, () => {
    throw failed(DURATION, 'int');
  });
  declare(`duration(string): ${DURATION}`, (text: string) => duration(durationOf(text)));
}

/** The class of the value that an expression returns. The library does not export its classes. */
function classOf<T>(
  environment: CelEnvironment,
  expression: string,
): new (
  value: T,
  rest?: number,
) => unknown {
  return (environment.evaluate(expression) as { readonly constructor: never }).constructor;
}

function failed(to: string, from = 'string'): Error {
  return new Error(`type conversion error from '${from}' to '${to}'`);
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function boolOf(text: string): boolean {
  if (!TRUE.has(text) && !FALSE.has(text)) throw failed('bool');
  return TRUE.has(text);
}

function intOf(value: bigint): bigint {
  if (value < INT_MIN || value > INT_MAX) throw new Error('integer overflow');
  return value;
}

function intOfDouble(value: number): bigint {
  const isInside = value > Number(INT_MIN) && value < Number(INT_MAX);
  if (!isInside) throw new Error('integer overflow');
  return BigInt(Math.trunc(value));
}

function intOfText(text: string): bigint {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : INT_MAX + 1n;
  if (value < INT_MIN || value > INT_MAX) throw failed('int');
  return value;
}

function uintOf(value: bigint): bigint {
  if (value < 0n) throw new Error('unsigned integer overflow');
  return value;
}

function uintOfDouble(value: number): bigint {
  if (!(value >= 0 && value < Number(UINT_MAX))) throw new Error('unsigned integer overflow');
  return BigInt(Math.trunc(value));
}

function uintOfText(text: string): bigint {
  const value = /^\d+$/.test(text) ? BigInt(text) : UINT_MAX + 1n;
  if (value > UINT_MAX) throw failed('uint');
  return value;
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const HEXADECIMAL = /^([+-]?)0x([\da-f]*)\.?([\da-f]*)p([+-]?\d+)$/i;

/** Reads a number as Go's `strconv.ParseFloat` does. A number that is too large is an error. */
function doubleOfText(text: string): number {
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) {
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  const value = DECIMAL.test(text) ? Number(text) : hexadecimal(text);
  if (!Number.isFinite(value)) throw failed('double');
  return value;
}

function hexadecimal(text: string): number {
  const [, sign, whole = '', fraction = '', exponent] = HEXADECIMAL.exec(text) ?? [];
  if (whole === '' && fraction === '') return Number.NaN;
  const digits = Number(`0x${whole}${fraction}`);
  const value = digits * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}

/** The earliest and the latest timestamp that CEL allows, in milliseconds since 1970. */
const TIME_MIN = -62_135_596_800_000;
const TIME_MAX = 253_402_300_799_999;

function timeOf(milliseconds: number): Date {
  if (milliseconds < TIME_MIN || milliseconds > TIME_MAX) throw new Error('timestamp overflow');
  return new Date(milliseconds);
}

const RFC_3339 = /^\d{4}-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function timeOfText(text: string): Date {
  const time = RFC_3339.test(text) ? new Date(text.replace(',', '.')).getTime() : Number.NaN;
  if (Number.isNaN(time)) throw failed(TIMESTAMP);
  return timeOf(time);
}

const NANOS_OF_SECOND = 1_000_000_000n;

/** The units of Go's `time.ParseDuration`, in nanoseconds. */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: NANOS_OF_SECOND,
  m: 60n * NANOS_OF_SECOND,
  h: 3_600n * NANOS_OF_SECOND,
};

const DURATION_TEXT = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const DURATION_PART = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g;

function durationOf(text: string): bigint {
  if (/^[+-]?0$/.test(text)) return 0n;
  const [, sign, parts = ''] = DURATION_TEXT.exec(text) ?? [];
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of parts.matchAll(DURATION_PART)) {
    const size = UNITS[unit] ?? 0n;
    const share = (BigInt(fraction || '0') * size) / 10n ** BigInt(fraction.length);
    nanos += BigInt(whole || '0') * size + share;
  }
  if (sign === undefined || nanos > INT_MAX) throw failed(DURATION);
  return sign === '-' ? -nanos : nanos;
}

function nanosOf(seconds: bigint, nanos: number): bigint {
  return seconds * NANOS_OF_SECOND + BigInt(nanos);
}

import { fieldHash, messageOf } from 'chancery/internal-objects';
import { type Expression, parseUnchecked } from '../cel/unchecked-expression.ts';
import { internalError } from '../failures/failure.ts';
import type { StoredObject } from '../objects/stored-object.ts';

/**
 * Selects the objects for which the hash of one field lies in certain ranges (feature gate
 * `ShardedListAndWatch`).
 */
export interface ShardSelector {
  /** The ranges in the server's notation, as in `metadata.shardInfo.selector`. */
  readonly text: string;
  matches(object: StoredObject): boolean;
}

interface ShardRange {
  readonly field: string;
  /** The first hash of the range: `0x` and 16 digits. */
  readonly start: string;
  /** The first hash after the range: `0x` and 16 digits, or 17 digits for 2^64. */
  readonly end: string;
}

/**
 * Parses ranges of hashes, like `Parse` in k8s.io/apiserver pkg/sharding/parser.go. Ranges may overlap, and
 * keep the order of the selector.
 *
 * @throws ApiError 500, which is how kube-apiserver 1.36 answers every selector that it refuses.
 */
export function parseShardSelector(text: string): ShardSelector {
  try {
    const ranges = parsedRanges(text.trim());
    return { text: ranges.map(textOf).join(' || '), matches: matcherOf(ranges) };
  } catch (error) {
    throw internalError(`invalid shard selector: ${messageOf(error)}`);
  }
}

function textOf({ field, start, end }: ShardRange): string {
  return `shardRange(${field}, '${start}', '${end}')`;
}

function matcherOf(ranges: readonly ShardRange[]): ShardSelector['matches'] {
  const isByUid = ranges[0]?.field === 'object.metadata.uid';
  return ({ metadata }) => {
    const hash = `0x${fieldHash((isByUid ? metadata.uid : metadata.namespace) ?? '')}`;
    return ranges.some(({ start, end }) => !isLess(hash, start) && isLess(hash, end));
  };
}

/**
 * Whether the hexadecimal number `a` is less than `b`. A number with more than 16 digits has no leading
 * zeros.
 */
function isLess(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}

function parsedRanges(text: string): readonly ShardRange[] {
  if (text === '') {
    throw new Error('empty shard selector is not allowed; omit the parameter for unfiltered lists');
  }
  const ranges = rangesIn(expressionOf(text));
  const first = ranges[0]?.field;
  const other = ranges.find(({ field }) => field !== first)?.field;
  if (other === undefined) return ranges;
  throw new Error(`all shard ranges must use the same field, got "${first}" and "${other}"`);
}

function expressionOf(text: string): Expression {
  try {
    return parseUnchecked(text);
  } catch (error) {
    throw new Error(`CEL parse error: ${messageOf(error)}`);
  }
}

function rangesIn(expression: Expression): readonly ShardRange[] {
  if (expression.kind !== 'call') {
    throw new Error(
      `unexpected expression kind ${KINDS[expression.kind]}; expected shardRange() call or || operator`,
    );
  }
  const { name, args } = expression;
  if (name === '_||_') return args.flatMap(rangesIn);
  if (name === 'shardRange') return [rangeOf(args)];
  throw new Error(`unsupported function "${name}"; only shardRange() and || are allowed`);
}

/** The number that cel-go gives to each kind of expression. */
const KINDS: Readonly<Record<Expression['kind'], number>> = {
  call: 1,
  identifier: 3,
  list: 4,
  literal: 5,
  map: 6,
  select: 7,
};

const FIELDS: readonly string[] = ['object.metadata.uid', 'object.metadata.namespace'];

function rangeOf(args: readonly Expression[]): ShardRange {
  const [first, second, third] = args;
  if (first === undefined || second === undefined || third === undefined || args.length > 3) {
    throw new Error(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  }
  const field = fieldPath(first);
  if (!FIELDS.includes(field)) {
    throw new Error(`unsupported field path "${field}"; supported: ${FIELDS.join(', ')}`);
  }
  const start = boundOf(second, 'hexStart');
  const end = boundOf(third, 'hexEnd');
  if (isLess(start, end)) return { field, start, end };
  throw new Error(`shard range start ${start} must be less than end ${end}`);
}

function fieldPath(expression: Expression): string {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind === 'select') return `${fieldPath(expression.operand)}.${expression.field}`;
  throw new Error(
    `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${KINDS[expression.kind]}`,
  );
}

const TWO_64 = '0x10000000000000000';

function boundOf(expression: Expression, name: string): string {
  if (expression.kind !== 'literal') {
    throw new Error(
      `${name} must be a string literal (e.g. '0xff'), got expression kind ${KINDS[expression.kind]}`,
    );
  }
  const { value } = expression;
  if (typeof value !== 'string') {
    throw new Error(`${name} must be a string literal, got ${goTypeOf(value)}`);
  }
  const quoted = JSON.stringify(value);
  if (!value.startsWith('0x')) throw new Error(`${name} must have '0x' prefix, got ${quoted}`);
  const digits = value.slice(2);
  const length = Buffer.byteLength(digits);
  if (length === 0) throw new Error(`${name}: hex value is required after '0x'`);
  if (length > 17) {
    throw new Error(
      `${name}: hex value too long (${length} chars, max 17): ${JSON.stringify(digits)}`,
    );
  }
  const wrong = [...digits].find((digit) => !/[0-9a-f]/.test(digit));
  if (wrong !== undefined) {
    throw new Error(`${name}: invalid hex character ${JSON.stringify(wrong)} in ${quoted}`);
  }
  if (length === 16 || value === TWO_64) return value;
  if (length === 17) {
    throw new Error(`${name}: 17-digit hex value must be '${TWO_64}' (2^64), got ${quoted}`);
  }
  throw new Error(
    `${name} must be a 0x-prefixed 16-digit hex value, got ${quoted} (did you mean "0x${digits.padStart(16, '0')}"?)`,
  );
}

/** The Go type of a literal's value. */
function goTypeOf(value: unknown): string {
  if (value === null) return 'structpb.NullValue';
  if (value instanceof Uint8Array) return '[]uint8';
  const types: Readonly<Record<string, string>> = {
    bigint: 'int64',
    number: 'float64',
    boolean: 'bool',
  };
  return types[typeof value] ?? 'uint64';
}

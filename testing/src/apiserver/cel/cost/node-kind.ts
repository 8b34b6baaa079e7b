import type { ExpressionNode } from '../expression/expression-tree.ts';
import { exactly, type SizeRange } from './size-range.ts';

type CheckedType = NonNullable<ExpressionNode['checkedType']>;

const TYPE_KINDS: Readonly<Record<string, string>> = {
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
};

export function kindOfType(type: CheckedType | undefined): string {
  if (type === undefined) return 'dyn';
  if (type.kind === 'primitive') return type.name;
  if (type.kind !== 'message') return type.kind === 'param' ? 'dyn' : type.kind;
  // Types that the library defines keep their names. The generated names of a schema's object types begin
  // with `object`.
  return TYPE_KINDS[type.name] ?? (type.name.startsWith('object') ? 'object' : type.name);
}

const SCALAR_KINDS: ReadonlySet<string> = new Set([
  'bool',
  'double',
  'duration',
  'int',
  'timestamp',
  'uint',
]);

export function isScalar(type: CheckedType | undefined): boolean {
  if (type?.kind === 'optional') return isScalar(type.valueType);
  return SCALAR_KINDS.has(kindOfType(type));
}

/** The size of the value if the expression is a literal; otherwise undefined. */
export function literalSize({ op, args }: ExpressionNode): SizeRange | undefined {
  if (op === 'list' || op === 'map') return exactly((args as readonly unknown[]).length);
  if (op === '-_' && (args as ExpressionNode).op === 'value') return exactly(1);
  if (op !== 'value') return undefined;
  if (typeof args === 'string') return exactly([...args].length);
  return exactly(args instanceof Uint8Array ? args.length : 1);
}

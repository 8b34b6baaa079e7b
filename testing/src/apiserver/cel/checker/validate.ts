import { knownPattern } from 'chancery/internal-objects';
import type { Checked, Finding } from './check.ts';
import { below, type Call, descendants, type Expression } from './expression.ts';
import { formatFindings } from './format-string.ts';
import { formatType, heldBy, isSameType, type Type } from './type.ts';

/** Whether a conversion of a constant succeeds. For example, `duration("1x")` fails. */
export type Converts = (name: string, value: unknown) => boolean;

/**
 * The problems that the validators of the Kubernetes environment find in an expression whose types are right
 * (cel-go, cel/validator.go, and ext/formatting.go).
 */
export function validate(root: Expression, checked: Checked, converts: Converts): Finding[] {
  const findings: Finding[] = [];
  for (const expression of descendants(root)) {
    if (expression.kind !== 'call') continue;
    findings.push(...literalFindings(expression, converts), ...formatFindings(expression, checked));
  }
  for (const finding of mixedItems(root, checked)) findings.push(finding);
  return findings;
}

function* literalFindings({ name, args }: Call, converts: Converts): Generator<Finding> {
  const [literal] = args;
  if (literal?.kind !== 'literal') return;
  const isTime = name === 'duration' || name === 'timestamp';
  const isWrong = isTime
    ? !converts(name, literal.value)
    : name === 'matches' && !isPattern(literal.value);
  if (isWrong) yield { at: literal.at, text: `invalid ${name} argument` };
}

function isPattern(text: unknown): boolean {
  try {
    knownPattern(String(text));
    return true;
  } catch {
    return false;
  }
}

/** Finds lists and maps whose items have different types. Arguments of `format` are exempt. */
function* mixedItems(expression: Expression, checked: Checked): Generator<Finding> {
  if (expression.kind === 'call' && expression.name === 'format') return;
  if (expression.kind === 'list') {
    const items = expression.items.map(({ value, isOptional }) => ({
      at: value.at,
      type: heldType(checked.typeOf(value), isOptional),
    }));
    // Only the first item that differs is reported.
    yield* differing(items).slice(0, 1);
  } else if (expression.kind === 'map') {
    const keys = expression.entries.map(({ key: one }) => ({
      at: one.at,
      type: checked.typeOf(one),
    }));
    const values = expression.entries.map(({ value, isOptional }) => ({
      at: value.at,
      type: heldType(checked.typeOf(value), isOptional),
    }));
    yield* [...differing(keys), ...differing(values)];
  }
  for (const one of below(expression)) yield* mixedItems(one, checked);
}

function heldType(type: Type, isOptional: boolean): Type {
  return isOptional ? (heldBy(type) ?? type) : type;
}

interface Typed {
  readonly at: number;
  readonly type: Type;
}

function differing(items: readonly Typed[]): readonly Finding[] {
  const [first] = items;
  if (first === undefined) return [];
  return items
    .filter(({ type }) => !isSameType(first.type, type))
    .map(({ at, type }) => ({
      at,
      text: `expected type '${formatType(first.type)}' but found '${formatType(type)}'`,
    }));
}

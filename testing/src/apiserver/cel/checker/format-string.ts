import type { Checked, Finding } from './check.ts';
import { below, type Call, type Expression } from './expression.ts';
import { isDyn, type Type, typeName } from './type.ts';

/** The types that a clause accepts, and the server's message for an argument of another type. */
interface Clause {
  readonly takes: readonly string[];
  readonly otherwise: string;
}

const DECIMAL: Clause = {
  takes: ['int', 'uint'],
  otherwise: 'decimal clause can only be used on integers',
};
const FIXED: Clause = {
  takes: ['double', 'string'],
  otherwise: 'fixed-point clause can only be used on doubles',
};
const SCIENTIFIC: Clause = {
  takes: ['double', 'string'],
  otherwise: 'scientific clause can only be used on doubles',
};
const BINARY: Clause = {
  takes: ['int', 'uint', 'bool'],
  otherwise: 'only integers and bools can be formatted as binary',
};
const HEX: Clause = {
  takes: ['int', 'uint', 'string', 'bytes'],
  otherwise: 'only integers, byte buffers, and strings can be formatted as hex',
};
const OCTAL: Clause = {
  takes: ['int', 'uint'],
  otherwise: 'octal clause can only be used on integers',
};
const TEXT: Clause = {
  takes: [
    ...['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'bytes', 'type', 'null_type'],
    ...['google.protobuf.Timestamp', 'google.protobuf.Duration'],
  ],
  otherwise:
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
};

const CLAUSES: ReadonlyMap<string, Clause> = new Map([
  ['s', TEXT],
  ['d', DECIMAL],
  ['f', FIXED],
  ['e', SCIENTIFIC],
  ['b', BINARY],
  ['x', HEX],
  ['X', HEX],
  ['o', OCTAL],
]);

/** A clause of a format string, or `%%`, a literal percent sign. */
const PART = /%(?:(%)|(\.(\d*))?([\s\S]?))/g;

/**
 * The first problem of a constant format string and its list of arguments (cel-go, ext/formatting.go,
 * `stringFormatValidator`).
 */
export function formatFindings(call: Call, checked: Checked): readonly Finding[] {
  const { name, target, args, at } = call;
  const [list] = args;
  if (name !== 'format' || target?.kind !== 'literal' || list?.kind !== 'list') return [];
  if (typeof target.value !== 'string' || args.length !== 1) return [];
  const items = list.items.map(({ value }) => value);
  let next = 0;
  for (const [part, percent, precision, digits, verb = ''] of target.value.matchAll(PART)) {
    if (percent !== undefined) continue;
    if (part === '%') return [{ at, text: 'unexpected end of string' }];
    const item = items[next];
    if (item === undefined) return [{ at, text: `index ${next} out of range` }];
    next++;
    const clause = CLAUSES.get(verb);
    const problem = precisionProblem(precision, digits, verb);
    if (problem !== undefined || clause === undefined) {
      const why = problem ?? `unrecognized formatting clause "${verb}"`;
      return [{ at, text: `could not parse formatting clause: ${why}` }];
    }
    const wrong = unfit(item, clause, checked);
    if (wrong !== undefined) {
      const given = typeName(checked.typeOf(wrong));
      const text = `error during formatting: ${clause.otherwise}, was given ${given}`;
      return [{ at: wrong.at, text }];
    }
  }
  if (items.length <= next) return [];
  const text = `too many arguments supplied to string.format (expected ${next}, got ${items.length})`;
  return [{ at, text }];
}

function precisionProblem(
  precision: string | undefined,
  digits: string | undefined,
  verb: string,
): string | undefined {
  if (precision === undefined) return undefined;
  if (verb === '')
    return 'error while parsing precision: could not find end of precision specifier';
  if (digits !== '') return undefined;
  return 'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
}

/**
 * The argument, or the first item in it, that the clause does not accept. `%s` also formats the items of list
 * and map literals, so these items are checked too.
 */
function unfit(item: Expression, clause: Clause, checked: Checked): Expression | undefined {
  if (!takes(clause, checked.typeOf(item))) return item;
  if (clause !== TEXT || (item.kind !== 'list' && item.kind !== 'map')) return undefined;
  for (const one of below(item)) {
    const wrong = unfit(one, clause, checked);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function takes({ takes: names }: Clause, type: Type): boolean {
  return isDyn(type) || names.includes(typeName(type));
}

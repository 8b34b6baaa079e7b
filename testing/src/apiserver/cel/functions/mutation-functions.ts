import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { exactInteger } from '../../objects/go-json.ts';
import { tokensOf } from '../expression/tokens.ts';
import { celEquals } from '../runtime/value-equality.ts';

/** `Object{}`, `Object.spec{}` or `JSONPatch{}`: an object with the name of its type. */
class TypedObject extends Map<string, unknown> {
  readonly type: string;

  constructor(type: string, fields: Iterable<readonly [string, unknown]>) {
    super(fields);
    this.type = type;
  }
}

export function isTypedObject(value: unknown): value is TypedObject {
  return value instanceof TypedObject;
}

/**
 * The function whose calls replace object literals, because the library has no object literals. The source of
 * an expression cannot call it.
 */
const CONSTRUCTOR = 'k8s__object';
const TYPE = 'kubernetes.Object';

/** The functions that only mutations of a policy can use (k8s.io/apiserver, pkg/cel/mutation). */
export function registerMutationFunctions(environment: CelEnvironment): void {
  environment
    .registerType(TYPE, TypedObject)
    .registerOperator(
      `${TYPE} == ${TYPE}`,
      (a: TypedObject, b: TypedObject) => a.type === b.type && celEquals(new Map(a), new Map(b)),
    )
    .registerFunction(`${CONSTRUCTOR}(string, dyn): dyn`, typedObject);
}

/** @param fields - a map of the library: a `Map` or a plain object. */
function typedObject(type: string, fields: Map<string, unknown> | object): TypedObject {
  const set = entriesOf(fields).flatMap(([key, value]): [string, unknown][] => {
    const name = String(key);
    if (!name.startsWith('?')) return [[name, value]];
    const optional = value as { hasValue(): boolean; value(): unknown };
    return optional.hasValue() ? [[name.slice(1), optional.value()]] : [];
  });
  return new TypedObject(type, set);
}

function entriesOf(map: Map<unknown, unknown> | object): readonly [unknown, unknown][] {
  return map instanceof Map ? [...map] : Object.entries(map);
}

/** An expression in which function calls replace `Object{…}` and `JSONPatch{…}`. */
export function withObjectLiterals(expression: string): string {
  const tokens = tokensOf(expression);
  const written: string[] = [];
  // The kind of each open bracket. An object literal becomes a call, so it needs an additional closing
  // parenthesis.
  const open: ('object' | 'other')[] = [];
  let expectsField = false;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    const literal = isAfterDot(written) ? undefined : typeAt(tokens, at);
    if (literal !== undefined) {
      written.push(`${CONSTRUCTOR}(${JSON.stringify(literal.type)}, {`);
      open.push('object');
      at = literal.brace;
      expectsField = true;
    } else if (/^\s|^\/\//.test(token)) written.push(token);
    else if (expectsField && /^[A-Za-z_]/.test(token)) {
      written.push(JSON.stringify(token));
      expectsField = false;
    } else if (expectsField && token === '?') {
      // Quotes the field name that follows: `?name:` becomes `"?name":`.
      const name = tokens.findIndex((one, index) => index > at && /^[A-Za-z_]/.test(one));
      written.push(JSON.stringify(`?${tokens[name] ?? ''}`));
      at = name < 0 ? at : name;
      expectsField = false;
    } else {
      if ('{[('.includes(token)) open.push('other');
      const closed = '}])'.includes(token) ? open.pop() : undefined;
      written.push(closed === 'object' ? '})' : token);
      expectsField = token === ',' && open.at(-1) === 'object';
    }
  }
  return written.join('');
}

function isAfterDot(written: readonly string[]): boolean {
  return written.findLast((token) => token.trim() !== '') === '.';
}

/** The type of the object literal that begins at a token, and the index of its opening brace. */
function typeAt(
  tokens: readonly string[],
  at: number,
): { readonly type: string; readonly brace: number } | undefined {
  if (tokens[at] !== 'Object' && tokens[at] !== 'JSONPatch') return undefined;
  let type = tokens[at] ?? '';
  let next = at + 1;
  const skip = (): void => {
    while (/^\s/.test(tokens[next] ?? '')) next++;
  };
  skip();
  while (tokens[next] === '.' && type.startsWith('Object')) {
    next++;
    skip();
    type += `.${tokens[next] ?? ''}`;
    next++;
    skip();
  }
  return tokens[next] === '{' ? { type, brace: next } : undefined;
}

/**
 * The reason why the type of an object, or of an object nested in it, is not the expected type; undefined
 * when all types are right.
 *
 * @param place - the path of the value from the root, written as its expected type: `Object.spec`.
 */
export function typeProblem(value: unknown, place: string): string | undefined {
  const problems = [...typeProblems(value, place)];
  return problems.length === 0 ? undefined : problems.join('\n');
}

function* typeProblems(value: unknown, place: string): Generator<string, void, undefined> {
  if (value instanceof TypedObject) {
    if (value.type !== place) {
      yield `unexpected type name ${JSON.stringify(value.type)}, expected ${JSON.stringify(place)}, which matches field name path from root Object type`;
    }
    for (const [name, field] of value) yield* typeProblems(field, `${place}.${name}`);
  } else if (Array.isArray(value)) {
    for (const one of value) yield* typeProblems(one, place);
  } else if (isMap(value)) for (const [, one] of entriesOf(value)) yield* typeProblems(one, place);
}

function isMap(value: unknown): value is Map<unknown, unknown> | object {
  if (value instanceof Map) return true;
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Converts a CEL value to JSON.
 * @throws Error for a value that JSON cannot express.
 */
export function plainJson(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return exactInteger(value);
  if (Array.isArray(value)) return value.map(plainJson);
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (isMap(value)) {
    return Object.fromEntries(
      entriesOf(value).map(([key, one]) => {
        if (typeof key !== 'string') throw new Error(`map key ${String(key)} is not a string`);
        return [key, plainJson(one)];
      }),
    );
  }
  const whole = (value as { valueOf(): unknown } | undefined)?.valueOf();
  if (typeof whole === 'bigint') return exactInteger(whole);
  throw new Error('the value of an expression does not fit into JSON');
}

/** The `jsonpatch` namespace. Its only function escapes a name for the path of a patch. */
class JsonPatchLibrary {}

export function registerJsonPatchFunctions(environment: CelEnvironment): void {
  environment
    .registerType('kubernetes.jsonpatch', JsonPatchLibrary)
    .registerConstant('jsonpatch', 'kubernetes.jsonpatch', new JsonPatchLibrary())
    .registerFunction('kubernetes.jsonpatch.escapeKey(string): string', (_: unknown, key: string) =>
      key.replaceAll('~', '~0').replaceAll('/', '~1'),
    );
}

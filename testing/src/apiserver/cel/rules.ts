import type { Correlation, StructuralSchema, ValidationRule } from 'chancery/internal';
import {
  childPath,
  duplicate,
  fieldName,
  fieldSchema,
  forbidden,
  invalid,
  invalidUnshown,
  itemLike,
  required,
  spineOf,
} from 'chancery/internal-objects';
import type { FieldError } from '../failures/invalid.ts';
import { isObject } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { type CompiledRule, compileRules, type LevelRules } from './compiled-rules.ts';
import { Budget } from './runtime/budget.ts';
import { runtimeErrorText } from './runtime/runtime-error.ts';

/** The budget of all rules for one object, and the budget of one call of one rule. */
const OBJECT_BUDGET = 10_000_000;
const CALL_BUDGET = 1_000_000;

const NO_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/** The compiled rules of a schema. */
export interface Rules {
  /** The problems that the rules find in an object that its schema already accepts. */
  problems(
    object: StoredObject,
    previous: StoredObject | undefined,
    correlation: Correlation | undefined,
  ): readonly FieldError[];
}

/** @returns undefined for a schema without rules. */
export function rulesOf(schema: StructuralSchema): Rules | undefined {
  if (!hasRules(schema)) return undefined;
  const levels = compileRules(schema);
  return {
    problems(object, previous, correlation) {
      const run = new RuleRun(levels);
      run.visit(schema, object, { path: '', old: previous, correlation, parent: undefined });
      return run.problems;
    },
  };
}

function hasRules(schema: StructuralSchema): boolean {
  for (const level of spineOf(schema)) {
    if ((level['x-kubernetes-validations'] ?? []).length > 0) return true;
  }
  return false;
}

/** The path of a value, and its previous value. */
interface Place {
  readonly path: string;
  readonly old: unknown;
  /** Undefined if the value has no counterpart in the previous object. */
  readonly correlation: Correlation | undefined;
  /** The nearest ancestor of the value that has a counterpart in the previous object. */
  readonly parent: Correlation | undefined;
}

/** One validation of one object. All its rules share one budget. */
class RuleRun {
  readonly #levels: ReadonlyMap<StructuralSchema, LevelRules>;
  readonly #budget = new Budget(OBJECT_BUDGET);
  readonly problems: FieldError[] = [];

  constructor(levels: ReadonlyMap<StructuralSchema, LevelRules>) {
    this.#levels = levels;
  }

  visit(schema: StructuralSchema, value: unknown, place: Place): void {
    if (value === null || value === undefined || this.#budget.exhausted) return;
    const level = this.#levels.get(schema);
    if (level !== undefined) this.#evaluate(level, schema, value, place);
    if (Array.isArray(value)) this.#visitItems(schema, value, place);
    else if (isObject(value)) this.#visitFields(schema, value, place);
  }

  #visitItems(schema: StructuralSchema, value: readonly unknown[], place: Place): void {
    const { items } = schema;
    if (items === undefined) return;
    for (const [at, item] of value.entries()) {
      this.visit(items, item, {
        path: `${place.path}[${at}]`,
        old: itemLike(item, place.old, schema),
        ...below(place, place.correlation?.item(at)),
      });
    }
  }

  #visitFields(
    schema: StructuralSchema,
    value: Readonly<Record<string, unknown>>,
    place: Place,
  ): void {
    for (const field of Object.keys(value).sort()) {
      const child = fieldSchema(schema, field);
      if (child === undefined) continue;
      const isTypeMeta = place.path === '' && (field === 'apiVersion' || field === 'kind');
      this.visit(child, value[field], {
        path: childPath(schema, place.path, field),
        old: isObject(place.old) && Object.hasOwn(place.old, field) ? place.old[field] : undefined,
        ...below(place, isTypeMeta ? undefined : place.correlation?.field(field)),
      });
    }
  }

  #evaluate(level: LevelRules, schema: StructuralSchema, value: unknown, place: Place): void {
    const self = level.declaration.toCel(value);
    const old = place.old === undefined || place.old === null ? undefined : place.old;
    const oldSelf = old === undefined ? undefined : level.declaration.toCel(old);
    for (const compiled of level.rules) {
      const { optionalOldSelf = false } = compiled.rule;
      if (compiled.program.usesOldSelf && oldSelf === undefined && !optionalOldSelf) continue;
      const seen = optionalOldSelf ? level.optional(oldSelf) : oldSelf;
      const variables = seen === undefined ? { self } : { self, oldSelf: seen };
      if (!this.#holds(compiled, variables, schema, place)) {
        this.#refuse(compiled, variables, schema, value, place);
      }
      if (this.#budget.exhausted) return;
    }
  }

  /**
   * False if the rule is violated. If the rule cannot be evaluated, returns true, and the failed evaluation
   * is reported as a separate problem.
   */
  #holds(
    { program, rule }: CompiledRule,
    variables: Readonly<Record<string, unknown>>,
    schema: StructuralSchema,
    place: Place,
  ): boolean {
    const call = new Budget(Math.min(CALL_BUDGET, this.#budget.left));
    const before = call.left;
    let result: unknown;
    let failed: unknown;
    try {
      result = program.run(variables, call);
    } catch (error) {
      failed = error;
    }
    const affordable = this.#budget.spend(before - call.left);
    const report = (detail: string): void => {
      this.problems.push(invalid(place.path, schema.type ?? '', detail));
    };
    if (call.exhausted || !affordable) {
      this.#budget.spend(Number.POSITIVE_INFINITY);
      const limited = before === CALL_BUDGET;
      const rest = `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleName(rule)}`;
      report(limited ? rest : NO_BUDGET);
      return true;
    }
    if (failed === undefined) return result === true;
    report(runtimeErrorText(failed, ruleName(rule)));
    return true;
  }

  #refuse(
    compiled: CompiledRule,
    variables: Readonly<Record<string, unknown>>,
    schema: StructuralSchema,
    value: unknown,
    { path, correlation, parent }: Place,
  ): void {
    // An unchanged value may stay invalid, unless the rule compares it with the old value.
    const unchanged = (correlation ?? parent)?.unchanged === true;
    if (unchanged && !compiled.program.usesOldSelf) return;
    const { rule } = compiled;
    const detail = this.#message(compiled, variables) ?? rule.message?.trim() ?? '';
    const text = detail === '' ? `failed rule: ${rule.rule.trim()}` : detail;
    const at = `${path}${compiled.fieldPath}`.replace(/^\./, '');
    this.problems.push(violation(rule, at, schema, value, text));
  }

  #message(
    { messageProgram }: CompiledRule,
    variables: Readonly<Record<string, unknown>>,
  ): string | undefined {
    if (messageProgram === undefined) return undefined;
    const call = new Budget(Math.min(CALL_BUDGET, this.#budget.left));
    try {
      const text = String(messageProgram.run(variables, call)).trim();
      const usable = text !== '' && !text.includes('\n') && text.length <= MAX_MESSAGE_LENGTH;
      return usable && !call.exhausted ? text : undefined;
    } catch {
      return undefined; // then the message or the rule itself is shown
    }
  }
}

/** The maximum length of the message that a `messageExpression` returns. */
const MAX_MESSAGE_LENGTH = 5 * 1024;

function below(
  place: Place,
  correlation: Correlation | undefined,
): Pick<Place, 'correlation' | 'parent'> {
  if (place.correlation === undefined) return { correlation: undefined, parent: place.parent };
  return { correlation, parent: place.correlation };
}

function violation(
  { reason }: ValidationRule,
  path: string,
  { type }: StructuralSchema,
  value: unknown,
  detail: string,
): FieldError {
  switch (reason) {
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueDuplicate':
      return duplicateOf(path, type, value);
    default:
      if (type === 'object' || type === 'array') return invalidUnshown(path, detail);
      return invalid(path, value, detail);
  }
}

function duplicateOf(path: string, type: string | undefined, value: unknown): FieldError {
  if (type !== 'object' && type !== 'array') return duplicate(path, value);
  return { field: fieldName(path), reason: 'FieldValueDuplicate', message: 'Duplicate value' };
}

/** The rule's name in the server's messages. */
function ruleName({ message, rule }: ValidationRule): string {
  return (message === undefined || message === '' ? rule : message).trim();
}

import type { StructuralSchema, ValidationRule } from 'chancery/internal';
import { forbidden, invalid } from 'chancery/internal-objects';
import { judgeRules, type RuleVerdict } from '../../cel/compiled-rules.ts';
import { declaredSize, mostInRequest } from '../../cel/cost/declared-size.ts';
import { product } from '../../cel/cost/size-range.ts';
import type { FieldError } from '../../failures/invalid.ts';
import { goJson } from '../../objects/canonical.ts';
import { isObject } from '../../objects/metadata.ts';

/** The limit for the estimated cost of one rule for one object (StaticEstimatedCostLimit). */
const RULE_LIMIT = 10_000_000;
/** The limit for the estimated cost of all rules of a schema together (StaticEstimatedCRDCostLimit). */
const SCHEMA_LIMIT = 100_000_000;

/** The maximum number of expensive rules that are reported. */
const MOST_NAMED = 4;

const ADVICE =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

/** The facts about a nested schema that depend on its position in the whole schema. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /**
   * The path of the outermost list or map around this schema whose items have no identity, so that they
   * cannot be compared with their previous state. Undefined if there is none.
   */
  readonly uncorrelatable: string | undefined;
  /** How many values of this schema one object can contain; undefined if the schema sets no limit. */
  readonly most: number | undefined;
}

/** An expression and its estimated cost. */
interface Expense {
  readonly field: string;
  readonly cost: number;
}

/** State that is shared by all nested schemas while one whole schema is checked. */
interface Whole {
  /**
   * True for a schema that the server has accepted before. A single rule of such a schema may
   * exceed the cost limit.
   */
  readonly isKnown: boolean;
  readonly expenses: Expense[];
}

/**
 * The problems of the CEL rules in a schema that has no other problem.
 *
 * @throws OperatorError `CONFIG` when there are rules, and the library that compiles them is missing.
 */
export function rulesProblems(
  root: StructuralSchema,
  path: string,
  isKnown: boolean,
): readonly FieldError[] {
  const whole: Whole = { isKnown, expenses: [] };
  const place = { path, isRoot: true, uncorrelatable: undefined, most: 1 };
  return [...partProblems(root, place, whole), ...totalProblems(whole, path)];
}

function partProblems(schema: StructuralSchema, place: Place, whole: Whole): readonly FieldError[] {
  const { path, uncorrelatable } = place;
  const most = mostBelow(schema, place.most);
  const below = (child: StructuralSchema, step: string, lost?: string): readonly FieldError[] => {
    const at = { path: `${path}.${step}`, isRoot: false, most };
    return partProblems(child, { ...at, uncorrelatable: uncorrelatable ?? lost }, whole);
  };
  const { additionalProperties, items } = schema;
  const problems: FieldError[] = [];
  if (isObject(additionalProperties)) {
    const values = additionalProperties as StructuralSchema;
    problems.push(...below(values, 'additionalProperties'));
  }
  const ofMap = schema['x-kubernetes-map-type'] === 'atomic' ? path : undefined;
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    problems.push(...below(child, `properties[${name}]`, ofMap));
  }
  if (items !== undefined) {
    const ofList = schema['x-kubernetes-list-type'] === 'map' ? undefined : path;
    problems.push(...below(items, 'items', ofList));
  }
  return [...problems, ...ownProblems(schema, place, whole)];
}

/** How many values one object can contain for each nested schema of this schema. */
function mostBelow(schema: StructuralSchema, most: number | undefined): number | undefined {
  const isMap = schema.type === 'object' && isObject(schema.additionalProperties);
  if (!isMap && schema.type !== 'array') return most;
  const bound = isMap ? schema.maxProperties : schema.maxItems;
  return bound === undefined || most === undefined ? undefined : product(most, Math.max(bound, 0));
}

function ownProblems(
  schema: StructuralSchema,
  { path, isRoot, uncorrelatable, most }: Place,
  whole: Whole,
): readonly FieldError[] {
  const declared = declaredSize(schema, isRoot);
  return judgeRules(schema, isRoot).flatMap((verdict, at) => {
    const rulePath = `${path}.x-kubernetes-validations[${at}]`;
    const { rule, program, messageProgram } = verdict;
    const compiled = compileProblems(verdict, rulePath);
    if (declared === undefined || 'rejected' in program) return compiled;
    const cost = product(program.maxCost(declared), most ?? mostInRequest(declared));
    const ofRule = costProblems(whole, `${rulePath}.rule`, 'rule', cost);
    const ofMessage =
      messageProgram === undefined || 'rejected' in messageProgram
        ? []
        : costProblems(
            whole,
            `${rulePath}.messageExpression`,
            'messageExpression',
            messageProgram.maxCost(declared),
          );
    const correlated = correlationProblems(rule, program.usesOldSelf, rulePath, uncorrelatable);
    return [...ofRule, ...compiled, ...ofMessage, ...correlated];
  });
}

function costProblems(
  { isKnown, expenses }: Whole,
  field: string,
  what: 'rule' | 'messageExpression',
  cost: number,
): readonly FieldError[] {
  expenses.push({ field, cost });
  if (isKnown || cost <= RULE_LIMIT) return [];
  return [forbidden(field, excess(`estimated ${what} cost`, cost / RULE_LIMIT))];
}

/**
 * Reports that the rules of a schema together cost too much.
 * @param path - the path of the schema.
 */
function totalProblems({ expenses }: Whole, path: string): readonly FieldError[] {
  const sum = expenses.reduce((total, { cost }) => total + cost, 0);
  if (sum <= SCHEMA_LIMIT) return [];
  const named = expenses
    .filter(({ cost }) => cost >= SCHEMA_LIMIT / 100)
    .toSorted((left, right) => right.cost - left.cost)
    .slice(0, MOST_NAMED);
  const share =
    'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...named.map(({ field }) => forbidden(field, share)),
    forbidden(path, excess(what, sum / SCHEMA_LIMIT)),
  ];
}

/** The server's message about how far a cost exceeds its limit. */
function excess(what: string, factor: number): string {
  const often = factor > 100 ? 'more than 100' : factor.toFixed(factor < 1.5 ? 6 : 1);
  return `${what} exceeds budget by factor of ${often}x (${ADVICE})`;
}

function compileProblems(
  { rule, program, messageProgram }: RuleVerdict,
  path: string,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  if ('rejected' in program) {
    problems.push(invalidRule(`${path}.rule`, rule, program.rejected));
  }
  if (messageProgram !== undefined && 'rejected' in messageProgram) {
    const at = `${path}.messageExpression`;
    problems.push(invalidRule(at, rule, messageProgram.rejected));
  }
  return problems;
}

function correlationProblems(
  rule: ValidationRule,
  usesOldSelf: boolean,
  path: string,
  uncorrelatable: string | undefined,
): readonly FieldError[] {
  if (usesOldSelf && uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    return [invalid(`${path}.rule`, rule.rule, why)];
  }
  if (usesOldSelf || rule.optionalOldSelf === undefined) return [];
  const why = 'may not be set if oldSelf is not used in rule';
  return [invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, why)];
}

/**
 * The problem of a rule. The server's message contains the rule as a Go struct, with the names of the
 * struct's fields.
 */
function invalidRule(field: string, rule: ValidationRule, why: string): FieldError {
  const shown = goJson({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  });
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${shown}: ${why}` };
}

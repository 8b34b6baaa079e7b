import { Optional } from '@marcbachmann/cel-js';
import type { StructuralSchema, ValidationRule } from 'chancery/internal';
import { isObject } from '../objects/metadata.ts';
import { optionalOf } from './checker/type.ts';
import { type Declaration, Declarations } from './declaration.ts';
import { celEnvironment } from './environment.ts';
import { type CelScope, compile, type Program, type Rejection } from './program.ts';

/** A rule that can be evaluated. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: Program;
  readonly messageProgram: Program | undefined;
  /** The `fieldPath` of the rule, which is added to the value's path: `.a.b`, or empty. */
  readonly fieldPath: string;
}

/** The rules of one schema, without the rules of schemas that are nested in it. */
export interface LevelRules {
  readonly declaration: Declaration;
  readonly rules: readonly CompiledRule[];
  /** Wraps a value that may be absent, for rules with `optionalOldSelf`. */
  optional(value: unknown): unknown;
}

/** The result of compiling a rule. */
export interface RuleVerdict {
  readonly rule: ValidationRule;
  readonly program: Program | Rejection;
  readonly messageProgram: Program | Rejection | undefined;
}

/**
 * The compiled rules of a schema and of all nested schemas, keyed by the schema that contains them. Rules
 * that do not compile are omitted.
 */
export function compileRules(root: StructuralSchema): ReadonlyMap<StructuralSchema, LevelRules> {
  const levels = new Map<StructuralSchema, LevelRules>();
  const visit = (schema: StructuralSchema, isRoot: boolean): void => {
    const level = levelOf(schema, isRoot);
    if (level !== undefined) levels.set(schema, level);
    const { items, additionalProperties } = schema;
    for (const child of Object.values(schema.properties ?? {})) visit(child, false);
    if (isObject(items)) visit(items as StructuralSchema, false);
    if (isObject(additionalProperties)) visit(additionalProperties as StructuralSchema, false);
  };
  visit(root, true);
  return levels;
}

function levelOf(schema: StructuralSchema, isRoot: boolean): LevelRules | undefined {
  const verdicts = judgeRules(schema, isRoot);
  const [first] = verdicts;
  if (first === undefined) return undefined;
  const rules = verdicts.flatMap(({ rule, program, messageProgram }): CompiledRule[] => {
    if ('rejected' in program) return [];
    const message =
      messageProgram === undefined || 'rejected' in messageProgram ? undefined : messageProgram;
    const fieldPath = rule.fieldPath ?? '';
    return [{ rule, program, messageProgram: message, fieldPath }];
  });
  return {
    declaration: first.declaration,
    rules,
    optional: (value) => (value === undefined ? Optional.none() : Optional.of(value)),
  };
}

/** Compiles the rules of one schema, without the rules of nested schemas. */
export function judgeRules(
  schema: StructuralSchema,
  isRoot: boolean,
): readonly (RuleVerdict & { readonly declaration: Declaration })[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const environment = celEnvironment();
  const declaration = new Declarations(environment).of({ ...schema, nullable: false }, isRoot);
  if (declaration === undefined) return [];
  environment.registerVariable('self', declaration.type);
  const plain = environment.clone().registerVariable('oldSelf', declaration.type);
  const optional = environment.clone().registerVariable('oldSelf', `optional<${declaration.type}>`);
  const { checked } = declaration;
  return rules.map((rule) => {
    const isOptional = rule.optionalOldSelf === true;
    const oldSelf = isOptional ? optionalOf(checked) : checked;
    const scope: CelScope = {
      environment: isOptional ? optional : plain,
      variables: new Map([
        ['self', checked],
        ['oldSelf', oldSelf],
      ]),
      wrongType,
    };
    return { ...judge(rule, scope), declaration };
  });
}

function wrongType(wanted: 'bool' | 'string'): string {
  return wanted === 'bool'
    ? 'cel expression must evaluate to a bool'
    : 'messageExpression must evaluate to a string';
}

function judge(rule: ValidationRule, scope: CelScope): RuleVerdict {
  const program = compile(scope, rule.rule, 'bool', 'compilation failed');
  const { messageExpression } = rule;
  const messageProgram =
    messageExpression === undefined || messageExpression === ''
      ? undefined
      : compile(scope, messageExpression, 'string', 'messageExpression compilation failed');
  return { rule, program, messageProgram };
}

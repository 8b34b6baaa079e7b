import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { celEnvironment } from './environment.ts';
import { compile, type Program, type Rejection } from './program.ts';

/** An expression of a policy, and where it stands. */
export interface PolicyExpression {
  readonly field: string;
  readonly text: string;
  readonly program: Program | Rejection;
}

export interface PolicyValidation {
  readonly check: PolicyExpression;
  readonly messageExpression: PolicyExpression | undefined;
  readonly message: string;
  /** Empty where the policy names none: the server takes `Invalid`. */
  readonly reason: string;
}

/** A policy with its expressions compiled. */
export interface CompiledPolicy {
  readonly conditions: readonly PolicyExpression[];
  readonly variables: ReadonlyMap<string, PolicyExpression>;
  readonly validations: readonly PolicyValidation[];
  /** False for `failurePolicy: Ignore`. */
  readonly failsClosed: boolean;
}

/** By the stored object, of which a change makes another one. */
const compiled = new WeakMap<StoredObject, CompiledPolicy>();

/** @throws OperatorError `CONFIG` when the library that compiles CEL is missing. */
export function compiledPolicy(policy: StoredObject): CompiledPolicy {
  const known = compiled.get(policy) ?? compilePolicy(policy);
  compiled.set(policy, known);
  return known;
}

/** Every expression of a policy. */
export function expressionsOf(policy: CompiledPolicy): readonly PolicyExpression[] {
  const { conditions, variables, validations } = policy;
  const ofValidations = validations.flatMap(({ check, messageExpression }) =>
    messageExpression === undefined ? [check] : [check, messageExpression],
  );
  return [...conditions, ...variables.values(), ...ofValidations];
}

type Wanted = Parameters<typeof compile>[2];

function compilePolicy({ spec }: StoredObject): CompiledPolicy {
  const { matchConditions, variables, validations, failurePolicy } = isObject(spec) ? spec : {};
  const environment = celEnvironment();
  // Nothing has a type that is known beforehand: fields are looked up when they are needed.
  for (const name of ['object', 'oldObject', 'request', 'namespaceObject', 'variables']) {
    environment.registerVariable(name, 'dyn');
  }
  const compiledAt = (field: string, text: unknown, wanted: Wanted): PolicyExpression => ({
    field,
    text: String(text),
    program: compile(environment, String(text), wanted, 'compilation failed'),
  });
  return {
    conditions: objects(matchConditions).map(({ expression }, at) =>
      compiledAt(`spec.matchConditions[${at}].expression`, expression, 'bool'),
    ),
    variables: new Map(
      objects(variables).map(({ name, expression }, at) => [
        String(name),
        compiledAt(`spec.variables[${at}].expression`, expression, 'dyn'),
      ]),
    ),
    validations: objects(validations).map((validation, at) => {
      const { expression, messageExpression, message, reason } = validation;
      const field = `spec.validations[${at}]`;
      return {
        check: compiledAt(`${field}.expression`, expression, 'bool'),
        messageExpression: messageExpression
          ? compiledAt(`${field}.messageExpression`, messageExpression, 'string')
          : undefined,
        message: String(message ?? '').trim(),
        reason: String(reason ?? ''),
      };
    }),
    failsClosed: failurePolicy !== 'Ignore',
  };
}

function objects(list: unknown): readonly Json[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { admissionScope } from './admission-environment.ts';
import { registerMutationFunctions, withObjectLiterals } from './functions/mutation-functions.ts';
import type { PolicyExpression } from './policy-expression.ts';
import { compile } from './program.ts';

export interface PolicyValidation {
  readonly check: PolicyExpression;
  readonly messageExpression: PolicyExpression | undefined;
  readonly message: string;
  /** The `reason` of the validation. If it is empty, the server uses `Invalid`. */
  readonly reason: string;
}

/** One entry of `auditAnnotations`. */
export interface PolicyAnnotation {
  readonly key: string;
  readonly value: PolicyExpression;
}

/** One entry of `mutations`. */
export interface PolicyMutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly patch: PolicyExpression;
}

/** A validating or mutating policy with compiled expressions. */
export interface CompiledPolicy {
  readonly conditions: readonly PolicyExpression[];
  readonly variables: ReadonlyMap<string, PolicyExpression>;
  readonly validations: readonly PolicyValidation[];
  readonly auditAnnotations: readonly PolicyAnnotation[];
  readonly mutations: readonly PolicyMutation[];
  /** False for `failurePolicy: Ignore`. */
  readonly failsClosed: boolean;
}

/**
 * Compiled policies, keyed by the stored object. A changed policy is stored as a new object, so entries never
 * become stale.
 */
const compiled = new WeakMap<StoredObject, CompiledPolicy>();

/**
 * Compiled policies, keyed by kind and spec. Validation compiles a policy before it is stored. The stored
 * policy is a different object, so it is not found in `compiled`. Tests also apply the same policies again
 * and again. The oldest entry is evicted first.
 */
const compiledTexts = new Map<string, CompiledPolicy>();
const MOST_TEXTS = 200;

/** @throws OperatorError `CONFIG` when the library that compiles CEL is missing. */
export function compiledPolicy(policy: StoredObject): CompiledPolicy {
  const known = compiled.get(policy) ?? byText(policy);
  compiled.set(policy, known);
  return known;
}

function byText(policy: StoredObject): CompiledPolicy {
  const text = JSON.stringify([policy.kind, policy.spec], (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  const known = compiledTexts.get(text) ?? compilePolicy(policy);
  compiledTexts.delete(text);
  compiledTexts.set(text, known);
  const [oldest] = compiledTexts.keys();
  if (compiledTexts.size > MOST_TEXTS && oldest !== undefined) compiledTexts.delete(oldest);
  return known;
}

/** Every expression of a policy. */
export function expressionsOf(policy: CompiledPolicy): readonly PolicyExpression[] {
  const { conditions, variables, validations, auditAnnotations, mutations } = policy;
  const ofValidations = validations.flatMap(({ check, messageExpression }) =>
    messageExpression === undefined ? [check] : [check, messageExpression],
  );
  return [
    ...conditions,
    ...variables.values(),
    ...ofValidations,
    ...auditAnnotations.map(({ value }) => value),
    ...mutations.map(({ patch }) => patch),
  ];
}

type Wanted = Parameters<typeof compile>[2];
type CompileAt = (field: string, text: unknown, wanted: Wanted) => PolicyExpression;

function compilePolicy(policy: StoredObject): CompiledPolicy {
  const spec = isObject(policy.spec) ? policy.spec : {};
  const isMutating = policy.kind === 'MutatingAdmissionPolicy';
  const params = spec.paramKind === undefined ? [] : ['params'];
  const declared = admissionScope([...params, 'variables']);
  if (isMutating) registerMutationFunctions(declared.environment);
  // Object literals are rewritten as calls before they are compiled, so our checker would see wrong positions
  // and types. Only the library checks the types.
  const scope = isMutating ? { ...declared, variables: undefined } : declared;
  const compiledAt: CompileAt = (field, text, wanted) => ({
    field,
    text: String(text),
    program: compile(
      scope,
      isMutating ? withObjectLiterals(String(text)) : String(text),
      wanted,
      'compilation failed',
    ),
  });
  return {
    conditions: objects(spec.matchConditions).map(({ expression }, at) =>
      compiledAt(`spec.matchConditions[${at}].expression`, expression, 'bool'),
    ),
    variables: new Map(
      objects(spec.variables).map(({ name, expression }, at) => [
        String(name),
        compiledAt(`spec.variables[${at}].expression`, expression, 'dyn'),
      ]),
    ),
    validations: objects(spec.validations).map((one, at) => validation(one, at, compiledAt)),
    auditAnnotations: objects(spec.auditAnnotations).map(({ key, valueExpression }, at) => ({
      key: String(key),
      value: compiledAt(`spec.auditAnnotations[${at}].valueExpression`, valueExpression, 'dyn'),
    })),
    mutations: objects(spec.mutations).map((one, at) => mutation(one, at, compiledAt)),
    failsClosed: spec.failurePolicy !== 'Ignore',
  };
}

function validation(
  { expression, messageExpression, message, reason }: Json,
  at: number,
  compiledAt: CompileAt,
): PolicyValidation {
  const field = `spec.validations[${at}]`;
  return {
    check: compiledAt(`${field}.expression`, expression, 'bool'),
    messageExpression: messageExpression
      ? compiledAt(`${field}.messageExpression`, messageExpression, 'string')
      : undefined,
    message: String(message ?? '').trim(),
    reason: String(reason ?? ''),
  };
}

function mutation(
  { patchType, applyConfiguration, jsonPatch }: Json,
  at: number,
  compiledAt: CompileAt,
): PolicyMutation {
  const isJsonPatch = patchType === 'JSONPatch';
  const name = isJsonPatch ? 'jsonPatch' : 'applyConfiguration';
  const patch = isJsonPatch ? jsonPatch : applyConfiguration;
  const { expression = '' } = isObject(patch) ? patch : {};
  return {
    patchType: isJsonPatch ? 'JSONPatch' : 'ApplyConfiguration',
    patch: compiledAt(`spec.mutations[${at}].${name}.expression`, expression, 'dyn'),
  };
}

function objects(list: unknown): readonly Json[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/**
 * The type check that a server makes of a policy and shows in `status.typeChecking`: the fields of requests and of object
 * metadata have their types, and the other fields of objects may be anything.
 */
import type { KubernetesObject } from 'chancery';
import type { StructuralSchema } from 'chancery/internal';
import { DYN, type Type } from '../../../../testing/src/apiserver/cel/checker/type.ts';
import { Declarations } from '../../../../testing/src/apiserver/cel/declaration.ts';
import { celEnvironment } from '../../../../testing/src/apiserver/cel/environment.ts';
import { compile } from '../../../../testing/src/apiserver/cel/program.ts';

const text: StructuralSchema = { type: 'string' };
const texts: StructuralSchema = { type: 'array', items: text };
const textMap: StructuralSchema = { type: 'object', additionalProperties: text };
const object = (properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema => ({
  type: 'object',
  properties,
});

const METADATA = object({
  ...{ name: text, namespace: text, uid: text, labels: textMap, annotations: textMap },
  finalizers: texts,
  ownerReferences: {
    type: 'array',
    items: object({
      ...{ apiVersion: text, kind: text, name: text, uid: text },
      controller: { type: 'boolean' },
    }),
  },
});

const REGARDING = object({ apiVersion: text, kind: text, name: text, namespace: text });

const RESOURCE = object({ group: text, version: text, resource: text });

const REQUEST = object({
  ...{ name: text, operation: text, subResource: text, resource: RESOURCE },
  requestResource: RESOURCE,
  userInfo: object({ username: text, uid: text, groups: texts }),
  dryRun: { type: 'boolean' },
});

interface Expressions {
  readonly matchConditions?: readonly { readonly expression: string }[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly {
    readonly expression: string;
    readonly messageExpression?: string;
  }[];
}

/** What is wrong with the expressions of a policy; empty when all have the types that they need. */
export function typeProblems(policy: KubernetesObject): readonly string[] {
  const {
    matchConditions = [],
    variables: named = [],
    validations,
  } = (policy as unknown as { readonly spec: Expressions }).spec;
  const environment = celEnvironment();
  const declarations = new Declarations(environment);
  const variables = new Map<string, Type>([['variables', DYN]]);
  const declare = (names: readonly string[], schema: StructuralSchema): void => {
    const declared = declarations.of(schema, false);
    for (const name of names) {
      environment.registerVariable(name, declared?.type ?? 'dyn');
      variables.set(name, declared?.checked ?? DYN);
    }
  };
  declare(['object', 'oldObject'], object({ metadata: METADATA, regarding: REGARDING }));
  declare(['request'], REQUEST);
  environment.registerVariable('variables', 'dyn');
  const problems = (expression: string, wanted: 'bool' | 'string' | 'dyn'): readonly string[] => {
    // The fields that have no type in the server's declaration of a request, or none that a schema can say.
    const scope = {
      environment,
      variables,
      wrongType: (type: string, found: string) => `must evaluate to ${type} but got ${found}`,
    };
    const program = compile(scope, untyped(expression), wanted, 'compilation failed');
    return 'rejected' in program ? [`${policy.metadata.name}: ${program.rejected}`] : [];
  };
  return [
    ...matchConditions.flatMap(({ expression }) => problems(expression, 'bool')),
    ...named.flatMap(({ expression }) => problems(expression, 'dyn')),
    ...validations.flatMap(({ expression, messageExpression }) => [
      ...problems(expression, 'bool'),
      ...(messageExpression === undefined ? [] : problems(messageExpression, 'string')),
    ]),
  ];
}

/**
 * `dyn(object)` is for servers that do not know the metadata of a custom resource: here it has its types. `request.options` is of any
 * type, and `request.namespace` a field whose name is a word of CEL for schemas.
 */
function untyped(expression: string): string {
  return expression
    .replace(/'(\w+)' in dyn\((object|oldObject)\)\.metadata\b(?!\.)/g, 'has($2.metadata.$1)')
    .replace(/dyn\((object|oldObject)\)\.metadata/g, '$1.metadata')
    .replaceAll('request.options.fieldManager', 'variables.options.fieldManager')
    .replaceAll('request.namespace', 'request.name');
}

import { ALL, anyOf, byOperator, listOf, literal, memberOr } from './expressions.ts';
import { leaseMetadata } from './leases.ts';
import type { Policy } from './policy.ts';
import { keyOf, type Target, type Written } from './written.ts';

/** The request, written like `keyOf` does: `CREATE deployments.apps`. */
const TARGET = {
  name: 'target',
  expression:
    "request.operation + ' ' + request.resource.resource +\n" +
    "(request.resource.group == '' ? '' : '.' + request.resource.group) +\n" +
    "(has(request.subResource) && request.subResource != '' ? '/' + request.subResource : '')",
} as const;

/**
 * The name of the object. A request for a new object does not contain the name when the server
 * generates it.
 */
const NAME = {
  name: 'name',
  expression:
    "has(request.name) && request.name != '' ? request.name :\n" +
    "(request.operation == 'CREATE' && has(object.metadata) && has(object.metadata.name) ? object.metadata.name : '')",
} as const;

/**
 * Refuses every write that is not declared: other resources, names, namespaces and subresources.
 */
export function declaredRequests(written: Written): Policy {
  return {
    rule: 'requests',
    about:
      'Writes of the operator are those that its declarations have: kinds, names, namespaces, subresources.',
    resourceRules: [{ ...ALL, operations: ['*'] }],
    matches: [byOperator(written)],
    variables: [TARGET, NAME],
    validations: [
      {
        expression: anyOf(terms(written.targets)),
        message: 'the operator does not declare this write',
        messageExpression:
          "'the declarations of the operator do not have ' + variables.target + ' ' + variables.name",
      },
      {
        expression: "request.operation != 'DELETE' || variables.name != ''",
        message: 'the operator deletes objects one by one, and no collection',
      },
      ...leaseMetadata(written),
    ],
  };
}

/** The terms of an expression: one for each group of targets with the same namespace and names. */
function terms(targets: readonly Target[]): readonly string[] {
  const alike = Map.groupBy(targets, ({ namespace, names, namesLike }) =>
    JSON.stringify([namespace ?? '', names ?? '', namesLike ?? '']),
  );
  return [...alike]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, [first, ...others]]) => (first === undefined ? [] : [term(first, others)]));
}

function term(first: Target, others: readonly Target[]): string {
  const { namespace, names, namesLike } = first;
  return [
    `variables.target in ${listOf([first, ...others].map(keyOf))}`,
    ...(namespace === undefined
      ? []
      : [`${memberOr('request.namespace', "''")} == ${literal(namespace)}`]),
    ...(names === undefined ? [] : [`variables.name in ${listOf(names)}`]),
    ...(namesLike === undefined ? [] : [`variables.name.matches(${literal(namesLike)})`]),
  ].join(' && ');
}

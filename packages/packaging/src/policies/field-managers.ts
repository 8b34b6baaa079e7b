import { ALL, byOperator, listOf, literal, memberOr, RESOURCE } from './expressions.ts';
import type { Policy } from './policy.ts';
import type { Written } from './written.ts';

/** Field managers of the toolkit itself, and the resources that they write. */
const OF_THE_TOOLKIT = {
  'chancery-events': ['events.events.k8s.io'],
  'chancery-leader-election': ['events.events.k8s.io', 'leases.coordination.k8s.io'],
  'chancery-sharding': ['events.events.k8s.io', 'leases.coordination.k8s.io'],
  'chancery-definitions': ['customresourcedefinitions.apiextensions.k8s.io'],
} as const;

/**
 * Refuses writes with a field manager that is not the operator's. So `metadata.managedFields`
 * always tells which operator owns a field.
 */
export function fieldManagers(written: Written): Policy {
  const { fieldManagers: own, elects, installsCrds, set } = written;
  const exact = own.flatMap((name) => [name, `${name}/create`]);
  // If the API server handles all conditions of a status as one value, the operator writes with
  // other field managers. Their names contain the types of the conditions.
  const prefixes = [...new Set(own)].sort().map((name) => `${name}/status/`);
  const toolkit = [
    'chancery-events',
    ...(elects ? (['chancery-leader-election'] as const) : []),
    ...(set === undefined ? [] : (['chancery-sharding'] as const)),
    ...(installsCrds ? (['chancery-definitions'] as const) : []),
  ] as const;
  return {
    rule: 'field-managers',
    about: 'Fields that the operator writes are owned under its own names.',
    resourceRules: [{ ...ALL, operations: ['CREATE', 'UPDATE'] }],
    matches: [byOperator(written)],
    variables: [
      RESOURCE,
      { name: 'manager', expression: memberOr('request.options.fieldManager', "''") },
    ],
    validations: [
      {
        expression: [
          `variables.manager in ${listOf(exact)}`,
          ...prefixes.map((prefix) => `variables.manager.startsWith(${literal(prefix)})`),
          ...toolkit.map(
            (name) =>
              `variables.manager == ${literal(name)} && variables.resource in ${listOf(OF_THE_TOOLKIT[name])}`,
          ),
        ].join(' ||\n'),
        message: 'the field manager is none of the operator',
        messageExpression:
          "'the field manager ' + variables.manager + ' is none of the operator for ' + variables.resource",
      },
    ],
  };
}

import { ALL, byOperator, listOf, literal, memberOr } from './expressions.ts';
import type { Policy } from './policy.ts';
import type { Written } from './written.ts';

/** Refuses writes under a name that is not the operator's: its own fields must show whose they are. */
export function fieldManagers(written: Written): Policy {
  const { fieldManagers: own, elects, installsCrds } = written;
  const exact = [
    ...own.flatMap((name) => [name, `${name}/create`]),
    'chancery-events',
    ...(elects ? ['chancery-leader-election'] : []),
    ...(installsCrds ? ['chancery-definitions'] : []),
  ];
  // The manager of a status whose conditions are one value names their types.
  const prefixes = [...new Set(own)].sort().map((name) => `${name}/status/`);
  return {
    rule: 'field-managers',
    about: 'Fields that the operator writes are owned under its own names.',
    resourceRules: [{ ...ALL, operations: ['CREATE', 'UPDATE'] }],
    matches: [byOperator(written)],
    variables: [{ name: 'manager', expression: memberOr('request.options.fieldManager', "''") }],
    validations: [
      {
        expression: [
          `variables.manager in ${listOf(exact)}`,
          ...prefixes.map((prefix) => `variables.manager.startsWith(${literal(prefix)})`),
        ].join(' ||\n'),
        message: 'the field manager is none of the operator',
        messageExpression: "'the field manager ' + variables.manager + ' is none of the operator'",
      },
    ],
  };
}

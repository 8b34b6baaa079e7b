import { resourceName } from 'chancery';
import {
  allOf,
  anyOf,
  byOperator,
  kindName,
  listOf,
  rulesFor,
  SAME_METADATA,
  sameContent,
} from './expressions.ts';
import type { Policy } from './policy.ts';
import type { Written } from './written.ts';

const EVENTS = 'events.events.k8s.io';

/**
 * A condition that holds when a write creates an Event, or changes only its `series`, which counts
 * repetitions.
 */
const COUNTS_ONLY = {
  expression: anyOf([
    "request.operation == 'CREATE'",
    allOf([sameContent(['metadata', 'series']), SAME_METADATA]),
  ]),
  message: 'the operator counts Events, and changes nothing else of them',
} as const;

/**
 * Refuses Events about kinds that the operator does not use. Undefined when it records no Events.
 */
export function eventsAbout(written: Written): Policy | undefined {
  const { targets, kinds, elects, free } = written;
  const recorded = targets.filter(({ resource }) => resourceName(resource) === EVENTS);
  if (recorded.length === 0) return undefined;
  // Hooks record Events about the Pod that runs them, and the election about its Lease.
  const about = [...kinds.map(kindName), 'Pod.', ...(elects ? ['Lease.coordination.k8s.io'] : [])];
  return {
    rule: 'events',
    about: 'The operator records Events about the kinds of its declarations.',
    resourceRules: rulesFor(recorded.slice(0, 1), ['CREATE', 'UPDATE']),
    matches: [byOperator(written)],
    variables: [
      {
        name: 'kind',
        expression:
          "!has(object.regarding) || !has(object.regarding.kind) ? '' : object.regarding.kind + '.' +\n" +
          "(has(object.regarding.apiVersion) && object.regarding.apiVersion.contains('/') ? object.regarding.apiVersion.split('/')[0] : '')",
      },
    ],
    validations: [
      {
        expression: `variables.kind in ${listOf(about)}`,
        message: 'the operator records no Events about this kind',
        messageExpression: "'the operator records no Events about ' + variables.kind",
      },
      ...(free.has(`UPDATE ${EVENTS}`) ? [] : [COUNTS_ONLY]),
    ],
  };
}

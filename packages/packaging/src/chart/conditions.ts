import type { ComponentName, Scope } from 'chancery/internal';
import { include, literal } from './expressions.ts';
import type { Condition } from './tree.ts';

/**
 * The scope of a release. `listed`: the operator works in the namespaces that are listed in a
 * value.
 */
export type ChartScope = Scope | 'listed';

/** The condition that the values of a chart must meet to turn a component on. */
export function componentCondition(chart: string, name: ComponentName): Condition {
  switch (name) {
    case 'debug':
      return '$.Values.debug';
    case 'high-availability':
      return '$.Values.highAvailability';
    case 'network-policy':
      return '$.Values.networkPolicy.enabled';
    case 'prometheus':
      return '$.Values.prometheus.enabled';
    case 'unix-socket':
      return 'eq $.Values.transport "unixSocket"';
    case 'native-sidecar':
      return `eq (${include(chart, 'isNativeSidecar')}) "true"`;
  }
}

/** The condition that the values of a chart must meet to choose a scope. */
export function scopeCondition(chart: string, scope: ChartScope): Condition {
  return `eq (${include(chart, 'scope')}) ${literal(scope)}`;
}

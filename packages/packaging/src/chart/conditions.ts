import type { ComponentName, Scope } from 'chancery/internal';
import { include, literal } from './expressions.ts';
import type { Condition } from './tree.ts';

/** Where an operator works in a release. `listed`: in the namespaces that a value names. */
export type ChartScope = Scope | 'listed';

/** The values that turn a component on. */
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

/** The values that choose a scope. */
export function scopeCondition(chart: string, scope: ChartScope): Condition {
  return `eq (${include(chart, 'scope')}) ${literal(scope)}`;
}

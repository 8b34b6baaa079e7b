import type { EnvironmentVariable, ScopeModel } from 'chancery/internal';
import { type ChartScope, scopeCondition } from './conditions.ts';
import type { OpenModel } from './placeholders.ts';
import type { Condition } from './tree.ts';

/**
 * A scope that an installed release of the chart can have, and the conditions on values that choose the
 * scope.
 */
export interface OpenScope {
  readonly name: ChartScope;
  readonly model: ScopeModel;
  readonly when: readonly Condition[];
}

/**
 * All scopes that values can choose. If the operator's arguments decide, the only scope has no
 * condition.
 */
export function openScopes(chart: string, { model, listed }: OpenModel): readonly OpenScope[] {
  const everywhere = model.scopes['cluster-scoped'];
  if (listed === undefined) return [{ name: 'cluster-scoped', model: everywhere, when: [] }];
  const own = model.scopes.namespaced;
  const some = { ...listed, watchNamespace: watchedVariable(own) };
  const scopes = { 'cluster-scoped': everywhere, namespaced: own, listed: some } as const;
  return Object.entries(scopes).map(([name, each]) => ({
    name: name as ChartScope,
    model: each,
    when: [scopeCondition(chart, name as ChartScope)],
  }));
}

/** The variable with the watched namespaces. The chart fills in its value. */
function watchedVariable({ watchNamespace: { name } }: ScopeModel): EnvironmentVariable {
  return { name, value: '' };
}

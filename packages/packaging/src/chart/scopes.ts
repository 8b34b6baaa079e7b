import type { EnvironmentVariable, ScopeModel } from 'chancery/internal';
import { type ChartScope, scopeCondition } from './conditions.ts';
import type { OpenModel } from './placeholders.ts';
import type { Condition } from './tree.ts';

/** A scope of a release, and the conditions under which it is the release's. */
export interface OpenScope {
  readonly name: ChartScope;
  readonly model: ScopeModel;
  readonly when: readonly Condition[];
}

/** Every scope that values can choose: one without a condition when the operator's arguments decide. */
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

/** The variable by which the operator is told what it watches; its value is filled in by the chart. */
function watchedVariable({ watchNamespace: { name } }: ScopeModel): EnvironmentVariable {
  return { name, value: '' };
}

import type { coreV1 } from 'chancery/kubernetes';
import type { RestartPlan } from '../record/plan-types.ts';
import type { PodTemplate } from './kind.ts';

/**
 * `template` with what a restart changes, for a Job that is created anew. A new variable comes first in `env`, as
 * after a strategic merge patch of the API server; the order of the others stays.
 */
export function changedTemplate(
  template: PodTemplate,
  { variables, templateAnnotations }: Pick<RestartPlan, 'variables' | 'templateAnnotations'>,
): PodTemplate {
  const containers = template.spec.containers.map((container) => {
    const own = variables.filter((each) => each.container === container.name);
    return own.length === 0 ? container : { ...container, env: changedEnv(container.env, own) };
  });
  const annotations = changedAnnotations(template.metadata?.annotations, templateAnnotations);
  return {
    ...template,
    metadata: { ...template.metadata, ...(annotations && { annotations }) },
    spec: { ...template.spec, containers },
  } as PodTemplate;
}

/** Annotations after a merge patch: null removes one. Undefined when none are left. */
export function changedAnnotations(
  annotations: Readonly<Record<string, string>> = {},
  changes: Readonly<Record<string, string | null>> = {},
): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries({ ...annotations, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function changedEnv(
  env: readonly coreV1.EnvVar[] = [],
  variables: RestartPlan['variables'],
): readonly coreV1.EnvVar[] {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  const added = [...values].flatMap(([name, value]) =>
    value === undefined || env.some((each) => each.name === name) ? [] : [{ name, value }],
  );
  const kept = env.flatMap((each) => {
    if (!values.has(each.name)) return [each];
    const value = values.get(each.name);
    return value === undefined ? [] : [{ name: each.name, value }];
  });
  return [...added, ...kept];
}

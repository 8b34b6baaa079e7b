import {
  ConfigurationError,
  dropManagedFields,
  type KubernetesObject,
  messageOf,
  OperatorError,
  type ReconcileContext,
  source,
} from 'chancery';
import { compileRule, Related, type RelatedRule, runInSlices } from 'chancery/internal';
import { keepManagedFields } from './child-sources.ts';
import { ControllerHook } from './controller-hook.ts';
import type { ConfiguredHooks, SharedParts } from './controller-parts.ts';
import { type NamedRule, relatedAnswer } from './json/related-answer.ts';
import type { ControllerSpec } from './spec.ts';

interface RelatedParts {
  /** The name of the controller in logs and metrics. */
  readonly name: string;
  readonly hooks: ConfiguredHooks;
  readonly shared: SharedParts;
  readonly managedFields: boolean;
}

/** The related objects that a customize hook selects. Undefined without such a hook. */
export function relatedOf(
  spec: ControllerSpec,
  { name, hooks: { customize }, shared, managedFields }: RelatedParts,
): Related | undefined {
  if (customize === undefined) return undefined;
  const hook = new ControllerHook(spec, 'customize', { called: customize, types: [], shared });
  const ownNamespaceOnly = customize.version === 'v1';
  return new Related({
    controller: name,
    ownNamespaceOnly,
    rules: async (parent, context) => {
      const answer = await hook.customize(parent, context);
      const named = await runInSlices(
        relatedAnswer(hook.reader, answer, context.log),
        context.signal,
      );
      return await resolved(named, { parent, context, shared, ownNamespaceOnly });
    },
    sources: {
      open: (given) => shared.open(given),
      sourceOf: (resource) =>
        source(resource, { transform: managedFields ? keepManagedFields : dropManagedFields }),
    },
  });
}

interface Resolving {
  readonly parent: KubernetesObject;
  readonly context: ReconcileContext;
  readonly shared: SharedParts;
  readonly ownNamespaceOnly: boolean;
}

async function resolved(
  named: readonly NamedRule[],
  resolving: Resolving,
): Promise<readonly RelatedRule[]> {
  const rules: RelatedRule[] = [];
  for (const rule of named) rules.push(await resolvedRule(rule, resolving));
  return rules;
}

/**
 * A rule with its resolved resource.
 *
 * @throws HookError `InvalidAnswer` for a resource that is not served, and for fields that cannot
 * be combined.
 */
async function resolvedRule(
  { part, apiVersion, resource, ...selection }: NamedRule,
  { parent, context, shared, ownNamespaceOnly }: Resolving,
): Promise<RelatedRule> {
  try {
    const rule = {
      resource: await shared.resolve({ apiVersion, resource }, context.signal),
      ...selection,
    };
    compileRule(rule, parent, ownNamespaceOnly);
    return rule;
  } catch (error) {
    const isOfAnswer =
      error instanceof ConfigurationError ||
      (error instanceof OperatorError && error.code === 'USER_CODE');
    if (isOfAnswer) part.fail(`is unusable: ${messageOf(error)}`);
    throw error;
  }
}

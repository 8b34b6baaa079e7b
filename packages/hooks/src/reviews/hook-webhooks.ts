import { ConfigurationError, messageOf, type Source, type Webhook } from 'chancery';
import {
  type AdmissionOperation,
  declareWebhook,
  type KnownKinds,
  type WebhookSubject,
} from 'chancery/internal';
import { refuse } from '../config/fields.ts';
import type { AdmissionBinding, AdmissionRule, Hook, KubernetesBinding } from '../hook.ts';
import { admissionAnswer } from './admission-answer.ts';
import type { AskReview } from './hook-reviews.ts';

interface HookWebhookParts {
  readonly known: KnownKinds;
  readonly ask: AskReview;
  /**
   * The sources of a binding whose snapshot is included in reviews. Every replica caches the
   * objects of these sources. Default: no sources.
   */
  readonly sourcesOf?: (binding: KubernetesBinding) => readonly Source[];
}

/**
 * The webhooks of a hook, from its bindings `kubernetesValidating` and `kubernetesMutating`.
 *
 * @throws ConfigurationError `CONFIG` when rules contain a wildcard or a resource whose definition
 * is not known, and when `validatingWebhook` refuses the declaration. The message begins with the
 * path of the binding.
 */
export function hookWebhooks(hook: Hook, parts: HookWebhookParts): readonly Webhook[] {
  return hook.config.admission.map((binding) => hookWebhook(hook, binding, parts));
}

const TYPES = { validating: 'Validating', mutating: 'Mutating' } as const;

function hookWebhook(
  hook: Hook,
  binding: AdmissionBinding,
  { known, ask, sourcesOf = () => [] }: HookWebhookParts,
): Webhook {
  const { type, name, includeSnapshotsFrom, objectSelector, namespaceSelector } = binding;
  const { failurePolicy, sideEffects, matchConditions, timeoutSeconds, path } = binding;
  const shown = hook.config.kubernetes.filter((each) => includeSnapshotsFrom.includes(each.name));
  const subjects = binding.rules.flatMap((rule, at) =>
    subjectsOf(rule, `${path}.rules[${at}]`, known),
  );
  try {
    return declareWebhook({
      ...{ type, name, subjects, hook: hook.name, reads: shown.flatMap(sourcesOf) },
      ...{ failurePolicy, sideEffects, matchConditions, timeoutSeconds },
      ...(objectSelector && { objectSelector }),
      ...(namespaceSelector && { namespaceSelector }),
      async handle(_request, { signal }, review) {
        // The context file must have only one line, but a review ends with a line break.
        const item = { type: TYPES[type], binding, review: [review.trim()] };
        const { admission } = await ask(hook, item, signal);
        return admissionAnswer(admission, { hook: hook.name, type }, signal);
      },
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return refuse(path, messageOf(error));
  }
}

/**
 * With wildcards, the API server would also call the hook for kinds without which a broken cluster
 * cannot recover.
 */
const NO_WILDCARD = 'is a wildcard; name each resource, as a broken hook must not stop the cluster';

/** The resources of a rule, in each group and version of the rule in which they exist. */
function subjectsOf(
  rule: AdmissionRule,
  path: string,
  known: KnownKinds,
): readonly WebhookSubject[] {
  const { apiGroups, resources } = rule;
  const wild = apiGroups.findIndex((group) => group.includes('*'));
  if (wild >= 0) refuse(`${path}.apiGroups[${wild}]`, NO_WILDCARD);
  return resources.flatMap((name, at) => {
    const place = `${path}.resources[${at}]`;
    if (name.includes('*')) return refuse(place, NO_WILDCARD);
    const [plural = '', subresource] = name.split('/', 2);
    const found = [...new Set(apiGroups)].flatMap((group) => inGroup(plural, group, rule, known));
    if (found.length === 0) {
      const versions = rule.apiVersions.join(', ');
      return refuse(
        place,
        `no resource ${plural} of ${apiGroups.map((group) => group || 'the core group').join(', ')} in ${versions} is ` +
          'known: put its CustomResourceDefinition into the folder crds of the hooks, or name its file with --crd',
      );
    }
    const inScope = found.filter(
      ({ namespaced }) => rule.scope === '*' || (rule.scope === 'Namespaced') === namespaced,
    );
    if (inScope.length === 0) refuse(`${path}.scope`, `${plural} has another scope`);
    const operations = operationsOf(rule, subresource);
    return inScope.map((resource) => ({ resource, subresource, operations }));
  });
}

/**
 * The resources with this plural in a group. With the version `*`, a resource is listed once,
 * because the API server converts objects of other versions to the listed one.
 */
function inGroup(plural: string, group: string, { apiVersions }: AdmissionRule, known: KnownKinds) {
  if (apiVersions.includes('*')) return known.ofPlural(plural, group) ?? [];
  return [...new Set(apiVersions)].flatMap(
    (version) => known.ofReference(plural, group === '' ? version : `${group}/${version}`) ?? [],
  );
}

function operationsOf(
  { operations }: AdmissionRule,
  subresource: string | undefined,
): readonly AdmissionOperation[] {
  const all: readonly AdmissionOperation[] =
    subresource === undefined
      ? ['CREATE', 'UPDATE', 'DELETE']
      : ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
  return [...new Set(operations.flatMap((each) => (each === '*' ? all : [each])))];
}

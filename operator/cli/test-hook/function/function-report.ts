import type { DesiredChild } from '../../../controller/composite/child.ts';
import type { ChildUpdate } from '../../../controller/composite/engine-options.ts';
import type { NamedRule } from '../../../metacontroller/json/related-answer.ts';
import type {
  CompositeAnswer,
  DecorationAnswer,
} from '../../../metacontroller/json/sync-answer.ts';
import { type KubernetesObject, keyOf } from '../../../model/object.ts';
import { apiVersionOf } from '../../../model/resource.ts';
import { formatSelector, selectorFromObject } from '../../../model/selector.ts';
import type { FunctionRequest, ObservedChild } from './function-request.ts';

/** What the function is asked, in one line. */
export function requestLine({ hook, spec, parent, observed }: FunctionRequest): string {
  const counted = hook === 'customize' ? '' : `, ${observed.length} observed`;
  return `${hook} of ${spec.kind} ${spec.name}: ${titleOf(parent)}${counted}`;
}

/** What the engine would do for this answer, one line each. */
export function syncLines(
  answer: CompositeAnswer | DecorationAnswer,
  request: FunctionRequest,
): readonly string[] {
  const { status, resyncAfterMs, finalized, events } = answer;
  return [
    ...childLines(answer.children, request),
    ...('labels' in answer ? changeLines('label', answer.labels) : []),
    ...('annotations' in answer ? changeLines('annotation', answer.annotations) : []),
    statusLine(status, request),
    ...(resyncAfterMs === undefined ? [] : [`called again after ${resyncAfterMs / 1_000} s`]),
    ...(finalized ? ['finalized: the finalizer is removed'] : []),
    ...events.map(({ type, reason, message }) => `event: ${type} ${reason}: ${message}`),
  ];
}

/** Which related objects the rules select, one line each. */
export function relatedLines(rules: readonly NamedRule[]): readonly string[] {
  if (rules.length === 0) return ['related: none'];
  return rules.map(({ apiVersion, resource, ...rule }) => {
    const { names, namespace, labelSelector, namespaceSelector } = rule;
    const parts = [
      namespace !== undefined && `in namespace ${namespace}`,
      namespaceSelector && `in namespaces with ${textOf(namespaceSelector)}`,
      names !== undefined && `named ${names.join(', ')}`,
      labelSelector && `with ${textOf(labelSelector)}`,
    ].filter((part) => part !== false && part !== undefined);
    return `related: ${resource} of ${apiVersion} ${parts.length === 0 ? '(all)' : parts.join(', ')}`;
  });
}

function textOf(selector: NonNullable<NamedRule['labelSelector']>): string {
  const text = formatSelector(selectorFromObject(selector));
  return text === '' ? 'any labels' : `labels ${text}`;
}

function childLines(
  children: readonly DesiredChild[],
  { observed, parent, spec }: FunctionRequest,
): readonly string[] {
  const left = new Set(observed);
  const rules = new Map(
    (spec.kind === 'CompositeController' ? spec.children : spec.attachments).map((rule) => [
      `${rule.apiVersion} ${rule.resource}`,
      rule.update,
    ]),
  );
  const lines = children.map(({ resource, object }) => {
    const found = observed.find((each) => isSame(each, { resource, object }, parent));
    if (found !== undefined) left.delete(found);
    const name = `${resource.kind} ${nameIn(object.metadata, found?.object ?? parent)}`;
    if (found === undefined) return `create ${name}`;
    const update = rules.get(`${apiVersionOf(resource)} ${resource.plural}`) ?? 'apply';
    return `${EXISTING[update]} ${name}`;
  });
  return [...lines, ...[...left].map(({ object }) => `delete ${titleOf(object)}`)];
}

/** What happens to a child that exists, and may differ. */
const EXISTING: Readonly<Record<ChildUpdate, string>> = {
  apply: 'update, where it differs,',
  recreate: 'recreate, if it differs,',
  keep: 'leave as it is',
  'rolling-apply': 'update in turn, where it differs,',
  'rolling-recreate': 'recreate in turn, if it differs,',
};

/** An answered child may leave out the namespace of its parent, and a cluster-scoped one has none. */
function isSame(
  { resource, object }: ObservedChild,
  desired: DesiredChild,
  parent: KubernetesObject,
): boolean {
  if (resource.kind !== desired.resource.kind) return false;
  if (apiVersionOf(resource) !== apiVersionOf(desired.resource)) return false;
  const { name, namespace } = desired.object.metadata;
  if (object.metadata.name !== name) return false;
  const own = object.metadata.namespace;
  return own === undefined || own === (namespace ?? parent.metadata.namespace);
}

function nameIn(
  { name, namespace }: { readonly name?: string; readonly namespace?: string | undefined },
  beside: KubernetesObject,
): string {
  const place = namespace ?? beside.metadata.namespace;
  return place === undefined ? (name ?? '') : `${place}/${name}`;
}

function changeLines(
  what: string,
  changes: Readonly<Record<string, string | null>>,
): readonly string[] {
  return Object.entries(changes).map(([name, value]) =>
    value === null ? `remove ${what} ${name}` : `set ${what} ${name}=${value}`,
  );
}

function statusLine(
  status: Readonly<Record<string, unknown>> | null,
  { spec }: FunctionRequest,
): string {
  if (status !== null) return `status: ${Object.keys(status).sort().join(', ') || 'empty'}`;
  return spec.kind === 'CompositeController'
    ? 'status: only observedGeneration'
    : 'status: unchanged';
}

function titleOf(object: KubernetesObject): string {
  return `${object.kind} ${keyOf(object)}`;
}

import { formatSelector, type KubernetesObject, keyOf, selectorFromObject } from 'chancery';
import { type ChildUpdate, childIdentity, type PlannedChild } from 'chancery/internal';
import type { NamedRule } from '../json/related-answer.ts';
import type { ExaminedAnswer } from './examine-answer.ts';
import type { FunctionRequest } from './function-request.ts';

/** A summary of the request in one line. */
export function requestLine({ hook, spec, parent, observed }: FunctionRequest): string {
  const counted = hook === 'customize' ? '' : `, ${observed.length} observed`;
  return `${hook} of ${spec.kind} ${spec.name}: ${titleOf(parent)}${counted}`;
}

/** The actions that the engine would take for this answer, one line each. */
export function answerLines(
  { answer, planned }: ExaminedAnswer,
  request: FunctionRequest,
): readonly string[] {
  const { status, resyncAfterMs, finalized, events } = answer;
  return [
    ...childLines(planned, request),
    ...('labels' in answer ? changeLines('label', answer.labels) : []),
    ...('annotations' in answer ? changeLines('annotation', answer.annotations) : []),
    statusLine(status, request),
    ...(resyncAfterMs === undefined ? [] : [`called again after ${resyncAfterMs / 1_000} s`]),
    ...(finalized ? ['finalized: the finalizer is removed'] : []),
    ...events.map(({ type, reason, message }) => `event: ${type} ${reason}: ${message}`),
  ];
}

/** The related objects that the rules select, one line per rule. */
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
  planned: readonly PlannedChild[],
  { observed }: FunctionRequest,
): readonly string[] {
  const there = new Map(
    observed.map((each) => [childIdentity(each.resource, each.object.metadata), each]),
  );
  const lines = planned.map(({ object, resource, type, identity }) => {
    const does = there.delete(identity) ? EXISTING[type.update] : 'create';
    const { name, namespace } = object.metadata;
    return `${does} ${resource.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  });
  return [...lines, ...[...there.values()].map(({ object }) => `delete ${titleOf(object)}`)];
}

/**
 * Describes in the report what the engine does with an existing child. The report cannot know
 * whether the child differs from the answer.
 */
const EXISTING: Readonly<Record<ChildUpdate, string>> = {
  apply: 'update, where it differs,',
  recreate: 'recreate, if it differs,',
  keep: 'leave as it is',
  'rolling-apply': 'update in turn, where it differs,',
  'rolling-recreate': 'recreate in turn, if it differs,',
};

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

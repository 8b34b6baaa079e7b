/**
 * Another implementation of the contract, as short as it can be: the rules of a merge with the last answer, followed by
 * an update of the whole object. It stands for Metacontroller, and shares no code with the toolkit.
 */

import type { KubernetesObject } from '../../operator/model/object.ts';

type Json = Record<string, unknown>;

export const ANNOTATION = 'metacontroller.k8s.io/last-applied-configuration';
const LIST_KEYS = ['containerPort', 'port', 'mountPath', 'name', 'uid', 'ip', 'path'];
const SYSTEM = [
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
];

const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON as Go writes it. */
export function goText(value: unknown): string {
  const sorted = JSON.stringify(value, (_key, part) =>
    isMap(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
  return sorted.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026');
}

function merge(to: unknown, last: unknown, desired: unknown): unknown {
  if (isMap(to)) {
    const result: Json = { ...to };
    const wanted = (desired ?? {}) as Json;
    const old = (last ?? {}) as Json;
    for (const key of Object.keys(old)) if (!(key in wanted)) delete result[key];
    for (const [key, value] of Object.entries(wanted))
      result[key] = merge(to[key], old[key], value);
    return result;
  }
  if (!Array.isArray(to)) return desired;
  const lists = [to, (last ?? []) as unknown[], (desired ?? []) as unknown[]];
  const items = lists.flat();
  const key = items.every(isMap)
    ? LIST_KEYS.find((one) => items.length > 0 && items.every((item) => one in (item as Json)))
    : undefined;
  if (key === undefined) return desired;
  const named = (list: unknown[]): Json =>
    Object.fromEntries(list.map((item) => [`k${(item as Json)[key]}`, item]));
  const after = merge(...(lists.map(named) as [Json, Json, Json])) as Json;
  const order = [...to, ...(desired as unknown[])].map((item) => `k${(item as Json)[key]}`);
  return [...new Set(order)].filter((one) => one in after).map((one) => after[one]);
}

/** What it sends as an update for an answer; undefined when the object is as it should be. */
export function originalUpdate(
  observed: KubernetesObject,
  answer: KubernetesObject,
): KubernetesObject | undefined {
  const text = observed.metadata.annotations?.[ANNOTATION];
  const last = text === undefined ? {} : JSON.parse(text);
  const merged = merge(observed, last, answer) as Json & { metadata: Json };
  for (const field of SYSTEM) {
    const value = (observed.metadata as unknown as Json)[field];
    if (value === undefined) delete merged.metadata[field];
    else merged.metadata[field] = value;
  }
  merged.status = (observed as unknown as Json).status;
  if (merged.status === undefined) delete merged.status;
  const annotations = { ...(merged.metadata.annotations as Json), [ANNOTATION]: goText(answer) };
  merged.metadata = { ...merged.metadata, annotations };
  return goText(merged) === goText(observed) ? undefined : (merged as unknown as KubernetesObject);
}

/** The object that it creates for an answer. */
export function originalCreation(
  answer: KubernetesObject,
  owner: KubernetesObject,
): KubernetesObject {
  const { apiVersion, kind, metadata } = owner;
  const { annotations } = answer.metadata;
  const reference = {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
  return {
    ...answer,
    metadata: {
      ...answer.metadata,
      annotations: { ...annotations, [ANNOTATION]: goText(answer) },
      ownerReferences: [reference],
    },
  };
}

/** The answer as it is remembered: with the namespace, and the label that names the parent. */
export function originalAnswer(
  child: object,
  { metadata: { uid = '', namespace = '' } }: KubernetesObject,
): KubernetesObject {
  const given = child as { metadata: { labels?: Json } & Json } & Json;
  const labels = { ...given.metadata.labels, 'controller-uid': uid };
  const metadata = { ...given.metadata, namespace, labels };
  return { ...given, metadata } as unknown as KubernetesObject;
}

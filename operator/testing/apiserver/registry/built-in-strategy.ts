import type { Resource } from '../../../model/resource.ts';
import type { StoredObject } from '../cluster-access.ts';
import { completeDefinition, withStatus } from '../crd/definition.ts';
import { validateDefinition } from '../crd/validate-definition.ts';
import { defaultObject } from '../defaults/default-object.ts';
import { admitPod } from '../defaults/pod-spec.ts';
import { METADATA_ORDER, sortedKeys } from '../objects/canonical.ts';
import { isObject, valueAt, withFields, withMetadata } from '../objects/metadata.ts';
import { validateBuiltIn } from '../validation/built-in.ts';
import { validateNewEvent } from '../validation/event.ts';
import { completeEvent, NEW_EVENT_FIELDS } from './event-shape.ts';
import type { Strategy } from './served-resource.ts';
import { topLevelFields } from './top-level-fields.ts';

/** Kinds whose metadata.generation counts changes of the spec. */
const COUNTED: ReadonlySet<string> = new Set([
  'Pod',
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'Ingress',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'CustomResourceDefinition',
]);

/** Field selectors of a kind: the name that a client writes, and the path of the field. */
const SELECTABLE: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  Namespace: ['status.phase'],
  Node: ['spec.unschedulable'],
  Secret: ['type'],
  Service: ['spec.clusterIP', 'spec.type'],
  ReplicaSet: ['status.replicas'],
  ReplicationController: ['status.replicas'],
  Job: ['status.successful'],
  Event: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
};

const METADATA_FIELDS: ReadonlySet<string> = new Set([...METADATA_ORDER, 'selfLink']);

/** The rules of a built-in kind. */
export function builtInStrategy({ kind, group }: Pick<Resource, 'kind' | 'group'>): Strategy {
  const selectable = SELECTABLE[kind] ?? [];
  return {
    generations: COUNTED.has(kind),
    annotationsCount: kind === 'Deployment',
    prepare: (object) => special(kind, defaultObject(withoutNulls(knownFields(object, kind)))),
    complete: (object) => completed(kind, object),
    validate: validationOf(kind, group),
    unknownFields: (object) => unknownFields(object, kind, group),
    selectableFields: (object) =>
      Object.fromEntries(selectable.map((name) => [name, selected(object, name)])),
  };
}

function validationOf(kind: string, group: string): Strategy['validate'] {
  if (kind === 'CustomResourceDefinition') return validateDefinition;
  return group === 'events.k8s.io' ? validateNewEvent : validateBuiltIn;
}

function selected(object: StoredObject, name: string): string {
  if (name === 'source') return String(valueAt(object, ['source', 'component']) ?? '');
  const value = valueAt(object, name.split('.'));
  const flags = name === 'spec.unschedulable' || name === 'spec.hostNetwork';
  return String(value ?? (flags ? 'false' : ''));
}

/** Go drops null where a field has no value; the few that it writes are in `special`. */
function withoutNulls(object: StoredObject): StoredObject {
  return dropNulls(object) as StoredObject;
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [field, child] of Object.entries(value)) {
    if (child !== null) kept[field] = dropNulls(child);
  }
  return kept;
}

function special(kind: string, object: StoredObject): StoredObject {
  if (kind === 'ConfigMap') return withMaps(object, ['data', 'binaryData']);
  if (kind === 'Secret') return withMaps(withStringData(object), ['data']);
  if (kind === 'Namespace') return withNameLabel(object);
  if (kind === 'CustomResourceDefinition') return completeDefinition(object);
  return kind === 'Event' ? completeEvent(object) : object;
}

function completed(kind: string, object: StoredObject): StoredObject {
  if (kind === 'Namespace') return completeNamespace(object);
  if (kind === 'CustomResourceDefinition') return withStatus(object);
  return kind === 'Pod' ? completePod(object) : object;
}

function completePod(object: StoredObject): StoredObject {
  const isNew = object.metadata.resourceVersion === undefined;
  if (!isNew || !isObject(object.spec)) return object;
  const status = { phase: 'Pending', ...(isObject(object.status) ? object.status : {}) };
  return withFields(object, { spec: admitPod(object.spec), status });
}

/** Maps of text are sorted; an empty one is left out. */
function withMaps(object: StoredObject, fields: readonly string[]): StoredObject {
  const changes: Record<string, unknown> = {};
  for (const field of fields) {
    const map = object[field];
    if (isObject(map)) changes[field] = Object.keys(map).length > 0 ? sortedKeys(map) : undefined;
  }
  return withFields(object, changes);
}

/** stringData is only for writing: it becomes data. */
function withStringData(object: StoredObject): StoredObject {
  const { stringData, data } = object;
  if (!isObject(stringData)) return object;
  const encoded = Object.entries(stringData).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ]);
  const merged = { ...(isObject(data) ? data : {}), ...Object.fromEntries(encoded) };
  return withFields(object, { data: merged, stringData: undefined });
}

function withNameLabel(object: StoredObject): StoredObject {
  const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name };
  return withMetadata(object, { labels });
}

function completeNamespace(object: StoredObject): StoredObject {
  const isNew = object.metadata.resourceVersion === undefined;
  if (!isNew) return object;
  const spec = isObject(object.spec) ? object.spec : {};
  return withFields(object, {
    spec: { ...spec, finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
}

/** A struct of Go has no place for other fields. */
function knownFields(object: StoredObject, kind: string): StoredObject {
  const metadata: Record<string, unknown> = { ...object.metadata };
  for (const field of Object.keys(metadata)) {
    if (!METADATA_FIELDS.has(field)) delete metadata[field];
  }
  const known: Record<string, unknown> = {
    kind: object.kind,
    apiVersion: object.apiVersion,
    metadata,
  };
  for (const field of topLevelFields(kind)) {
    if (object[field] !== undefined) known[field] = object[field];
  }
  return known as unknown as StoredObject;
}

function unknownFields(object: StoredObject, kind: string, group: string): readonly string[] {
  const fields = group === 'events.k8s.io' ? NEW_EVENT_FIELDS : topLevelFields(kind);
  const known = new Set(['apiVersion', 'kind', 'metadata', ...fields]);
  return [
    ...Object.keys(object.metadata)
      .filter((field) => !METADATA_FIELDS.has(field))
      .map((field) => `metadata.${field}`),
    ...Object.keys(object).filter((field) => !known.has(field)),
  ];
}

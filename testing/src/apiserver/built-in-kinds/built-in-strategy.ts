import type { Resource } from 'chancery';
import { builtInKindName } from '../built-in-types/built-in-types.ts';
import { completeDefinition, withStatus } from '../crd/definition.ts';
import { terminatingDefinition } from '../crd/definition-conditions.ts';
import { validateDefinition } from '../crd/definition-rules/validate-definition.ts';
import { defaultObject } from '../defaults/default-object.ts';
import { completeNew } from '../defaults/new-object.ts';
import { sortedKeys } from '../objects/canonical.ts';
import { isObject, type Json, valueAt, withFields, withMetadata } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { type DecodedStruct, decodeStruct } from '../objects/struct-decoder.ts';
import type { Strategy } from '../registry/served-resource.ts';
import { validateBuiltIn, validateCoreEvent, validateNewEvent } from '../validation/built-in.ts';
import { completeEvent } from './event-shape.ts';
import { withKeptValues, withSentCount } from './kept-values.ts';

/**
 * Kinds whose metadata.generation counts changes, according to `PrepareForCreate` of their strategies in
 * v1.36.
 */
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
  'PodTemplate',
  'EndpointSlice',
  'IngressClass',
  'PriorityClass',
  'FlowSchema',
  'PriorityLevelConfiguration',
  'DeviceClass',
  'DeviceTaintRule',
  'ResourceSlice',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
]);

/**
 * The fields that can be used in field selectors, keyed by kind. The name in the selector is nearly always
 * the path of the field.
 */
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
  CertificateSigningRequest: ['spec.signerName'],
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

/**
 * The fields that selectors of `events.k8s.io` can use. Their names differ from the names in core Events.
 */
const SELECTABLE_OF_NEW_EVENTS = [
  'regarding.kind',
  'regarding.namespace',
  'regarding.name',
  'regarding.uid',
  'regarding.apiVersion',
  'regarding.resourceVersion',
  'regarding.fieldPath',
  'reason',
  'reportingController',
  'type',
];

/** The rules of a built-in kind. */
export function builtInStrategy({ kind, group }: Pick<Resource, 'kind' | 'group'>): Strategy {
  const selectable =
    group === 'events.k8s.io' ? SELECTABLE_OF_NEW_EVENTS : (SELECTABLE[kind] ?? []);
  return {
    generations: COUNTED.has(kind),
    annotationsCount: kind === 'Deployment',
    prepare: (object, previous) => {
      const defaulted = defaultObject(decoded(object).value as StoredObject);
      const whole = special(kind, defaulted);
      return withSentCount(whole, previous);
    },
    keep: withKeptValues,
    complete: (object) => completed(kind, object),
    validate: validationOf(kind, group),
    ...(kind === 'CustomResourceDefinition' && { terminate: terminatingDefinition }),
    unknownFields: (object) => decoded(object).unknown,
    selectableFields: (object) =>
      Object.fromEntries(selectable.map((name) => [name, selected(object, name)])),
  };
}

function validationOf(kind: string, group: string): Strategy['validate'] {
  if (kind === 'CustomResourceDefinition') return validateDefinition;
  if (kind !== 'Event') return validateBuiltIn;
  return group === 'events.k8s.io' ? validateNewEvent : validateCoreEvent;
}

function selected(object: StoredObject, name: string): string {
  if (name === 'source') return sourceOf(object);
  const value = valueAt(object, name.split('.'));
  const flags = name === 'spec.unschedulable' || name === 'spec.hostNetwork';
  return String(value ?? (flags ? 'false' : ''));
}

/**
 * The reporter of a core Event, from the older of two fields, or from the newer field if the older one is
 * empty.
 */
function sourceOf(event: StoredObject): string {
  return String(valueAt(event, ['source', 'component']) || (event.reportingComponent ?? ''));
}

function special(kind: string, object: StoredObject): StoredObject {
  if (kind === 'ConfigMap') return withMaps(object, ['data', 'binaryData']);
  if (kind === 'Secret') return withMaps(withStringData(object), ['data']);
  if (kind === 'Namespace') return withNameLabel(object);
  if (kind === 'CustomResourceDefinition') return completeDefinition(object);
  return kind === 'Event' ? completeEvent(object) : object;
}

function completed(kind: string, object: StoredObject): StoredObject {
  if (kind === 'CustomResourceDefinition') return withStatus(object);
  return object.metadata.resourceVersion === undefined ? completeNew(object) : object;
}

/** Sorts the keys of the maps in these fields, and removes empty maps. */
function withMaps(object: StoredObject, fields: readonly string[]): StoredObject {
  const changes: Record<string, unknown> = {};
  for (const field of fields) {
    const map = object[field];
    if (isObject(map)) changes[field] = Object.keys(map).length > 0 ? sortedKeys(map) : undefined;
  }
  return withFields(object, changes);
}

/** Merges the write-only field stringData into data. */
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

/**
 * Decodes an object like Go decodes it into its struct: unknown fields are dropped, and null means unset.
 */
function decoded(object: StoredObject): Pick<DecodedStruct, 'value' | 'unknown'> {
  const typeName = builtInKindName(object.apiVersion, object.kind);
  if (typeName === undefined) return { value: object as Json, unknown: [] };
  return decodeStruct(object as Json, typeName);
}

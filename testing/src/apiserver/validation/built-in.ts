import { isDeepStrictEqual } from 'node:util';
import type { StoredObject } from '../objects/stored-object.ts';
import { policyProblems } from './admission-policy.ts';
import { ingressClass, runtimeClass } from './classes.ts';
import { changedSecret, configMap, fixedData, secret } from './config-data.ts';
import { changedNewEvent, eventProblems, newEventProblems } from './event.ts';
import { type ChangeCheck, immutable } from './fields/change.ts';
import type { Problem } from './fields/problem.ts';
import { changedQuota, limitRange, resourceQuota } from './namespace-limits.ts';
import { endpointSlice, endpoints } from './network/endpoints.ts';
import { ingress, networkPolicy } from './network/ingress-and-policy.ts';
import { changedService, service } from './network/service.ts';
import { changedPod, newPod } from './pods/pod.ts';
import { podTemplate } from './pods/pod-spec.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding, sameRole } from './rights.ts';
import {
  changedPriorityClass,
  controllerRevision,
  disruptionBudget,
  lease,
  namespace,
  priorityClass,
} from './small-kinds.ts';
import { changedClaim, claim } from './storage/claim.ts';
import {
  changedCsiDriver,
  changedCsiNode,
  changedVolumeAttachment,
  csiDriver,
  csiNode,
  volumeAttachment,
} from './storage/driver.ts';
import {
  changedAttributesClass,
  changedStorageCapacity,
  changedStorageClass,
  storageCapacity,
  storageClass,
  volumeAttributesClass,
} from './storage/storage-class.ts';
import { changedVolume, volume } from './storage/volume.ts';
import { webhookConfiguration } from './webhook-configuration.ts';
import { autoscaler } from './workloads/autoscaler.ts';
import { changedJob, cronJob, job } from './workloads/job.ts';
import { replicationController } from './workloads/replication-controller.ts';
import {
  changedStatefulSet,
  daemonSet,
  deployment,
  replicaSet,
  sameSelector,
  statefulSet,
} from './workloads/workload.ts';

interface Rules {
  /** The rules for every object of this kind. */
  readonly object: (object: StoredObject) => readonly Problem[];
  /** The additional rules for a change of an object. */
  readonly change?: ChangeCheck;
  /** True if the rules in `change` are checked before the rules in `object`. */
  readonly changeFirst?: boolean;
  /** True if an update is checked only by the rules in `change`, and not by those in `object`. */
  readonly changeAlone?: boolean;
}

/** The rules of each built-in kind. For kinds without an entry only the metadata is validated. */
const RULES: Readonly<Record<string, Rules>> = {
  ConfigMap: { object: configMap, change: fixedData },
  ControllerRevision: { object: controllerRevision, change: immutable(['data']) },
  ClusterRole: { object: clusterRole },
  ClusterRoleBinding: { object: clusterRoleBinding, change: sameRole },
  CronJob: { object: cronJob },
  CSIDriver: { object: csiDriver, change: changedCsiDriver },
  CSINode: { object: csiNode, change: changedCsiNode },
  CSIStorageCapacity: {
    object: storageCapacity,
    change: changedStorageCapacity,
    changeAlone: true,
  },
  DaemonSet: { object: daemonSet, change: sameSelector },
  Deployment: { object: deployment, change: sameSelector },
  Endpoints: { object: endpoints },
  EndpointSlice: { object: endpointSlice, change: immutable(['addressType']) },
  HorizontalPodAutoscaler: { object: autoscaler },
  Ingress: { object: ingress },
  IngressClass: {
    object: ingressClass,
    change: immutable(['spec.controller']),
    changeFirst: true,
  },
  Job: { object: job, change: changedJob },
  Lease: { object: lease },
  LimitRange: { object: limitRange },
  Namespace: { object: namespace },
  MutatingAdmissionPolicy: { object: policyProblems },
  MutatingWebhookConfiguration: { object: webhookConfiguration },
  NetworkPolicy: { object: networkPolicy },
  PersistentVolume: { object: volume, change: changedVolume },
  PersistentVolumeClaim: { object: claim, change: changedClaim },
  PodDisruptionBudget: { object: disruptionBudget },
  PodTemplate: { object: ({ template }) => podTemplate(template, 'template') },
  PriorityClass: { object: priorityClass, change: changedPriorityClass },
  ReplicaSet: { object: replicaSet, change: sameSelector },
  ReplicationController: { object: replicationController },
  ResourceQuota: { object: resourceQuota, change: changedQuota },
  Role: { object: role },
  RoleBinding: { object: roleBinding, change: sameRole },
  RuntimeClass: { object: runtimeClass, change: immutable(['handler']) },
  Secret: { object: secret, change: changedSecret, changeFirst: true },
  Service: { object: service, change: changedService, changeFirst: true },
  StatefulSet: { object: statefulSet, change: changedStatefulSet },
  StorageClass: { object: storageClass, change: changedStorageClass },
  ValidatingAdmissionPolicy: { object: policyProblems },
  ValidatingWebhookConfiguration: { object: webhookConfiguration },
  VolumeAttachment: { object: volumeAttachment, change: changedVolumeAttachment },
  VolumeAttributesClass: {
    object: volumeAttributesClass,
    change: changedAttributesClass,
    changeFirst: true,
  },
};

/** The problems of an object of a built-in kind, without the problems of its metadata. */
export function validateBuiltIn(
  object: StoredObject,
  previous: StoredObject | undefined,
): readonly Problem[] {
  if (previous === undefined) {
    return object.kind === 'Pod' ? newPod(object) : (RULES[object.kind]?.object(object) ?? []);
  }
  // The stored object was accepted before, so an unchanged object is not validated again.
  if (sameWish(object, previous)) return [];
  if (object.kind === 'Pod') return changedPod(object, previous);
  const rules = RULES[object.kind];
  if (rules === undefined) return [];
  const ofChange = rules.change?.(object, previous) ?? [];
  if (rules.changeAlone === true) return ofChange;
  const ofObject = rules.object(object);
  return rules.changeFirst === true ? [...ofChange, ...ofObject] : [...ofObject, ...ofChange];
}

function sameWish(object: StoredObject, previous: StoredObject): boolean {
  const { metadata: _, status: __, ...now } = object;
  const { metadata: ___, status: ____, ...then } = previous;
  return isDeepStrictEqual(now, then);
}

/** The problems of an Event that was sent through the core API. */
export function validateCoreEvent(event: StoredObject): readonly Problem[] {
  return eventProblems(event, 'core');
}

/**
 * The problems of an Event that was sent through `events.k8s.io`. The Event is in its storage format: a core
 * Event.
 */
export function validateNewEvent(
  event: StoredObject,
  previous: StoredObject | undefined,
): readonly Problem[] {
  const ofEvent = eventProblems(event, 'events');
  return previous === undefined
    ? [...ofEvent, ...newEventProblems(event)]
    : [...ofEvent, ...changedNewEvent(event, previous)];
}

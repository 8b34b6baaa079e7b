import type { KubernetesObject, ObjectMeta } from 'chancery';
import { type MetadataFields, placed } from './metadata.ts';

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly [field: string]: unknown;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly [field: string]: unknown;
}

export interface PodObject extends KubernetesObject {
  readonly spec: PodSpec;
}

export interface PodTemplate {
  readonly metadata: Partial<ObjectMeta>;
  readonly spec: PodSpec;
}

export interface WorkloadObject extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: PodTemplate;
    readonly [field: string]: unknown;
  };
}

export interface JobObject extends KubernetesObject {
  readonly spec: { readonly template: PodTemplate; readonly [field: string]: unknown };
}

export interface ServiceObject extends KubernetesObject {
  readonly spec: {
    readonly selector: Readonly<Record<string, string>>;
    readonly ports: readonly { readonly port: number; readonly [field: string]: unknown }[];
    readonly [field: string]: unknown;
  };
}

/** The Pods of a workload, and their number. */
export interface WorkloadFields extends MetadataFields {
  /** The number of Pods. Default 1. */
  readonly replicas?: number;
  /** Labels of the Pods. They are also the selector of the workload. Default `app: NAME`. */
  readonly podLabels?: Readonly<Record<string, string>>;
  /** The spec of each Pod. If omitted, each Pod has one container that sleeps. */
  readonly podSpec?: PodSpec;
  /** Further fields of `spec`. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A container that runs on every cluster, does nothing, and ends on SIGTERM. */
const SLEEPING: PodSpec = { containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }] };

/** A Pod with one container that sleeps, unless `spec` sets other containers. */
export function pod(
  name: string,
  { spec = SLEEPING, ...fields }: MetadataFields & { readonly spec?: PodSpec } = {},
): PodObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: placed(name, fields).metadata, spec };
}

/** A Deployment whose Pods are labelled `app: NAME`. */
export function deployment(name: string, fields: WorkloadFields = {}): WorkloadObject {
  return workload('Deployment', name, fields, {});
}

/** A StatefulSet whose Pods are labelled `app: NAME`. Its `serviceName` is its name. */
export function statefulSet(name: string, fields: WorkloadFields = {}): WorkloadObject {
  return workload('StatefulSet', name, fields, { serviceName: name });
}

/** A DaemonSet whose Pods are labelled `app: NAME`. */
export function daemonSet(
  name: string,
  fields: Omit<WorkloadFields, 'replicas'> = {},
): WorkloadObject {
  const { spec, ...object } = workload('DaemonSet', name, fields, {});
  const { replicas: _, ...rest } = spec;
  return { ...object, spec: rest };
}

/** A Job that runs one Pod once. */
export function job(
  name: string,
  fields: Omit<WorkloadFields, 'replicas' | 'podLabels'> = {},
): JobObject {
  const { podSpec = SLEEPING, spec = {}, ...metadata } = fields;
  const template = { metadata: {}, spec: { restartPolicy: 'Never', ...podSpec } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: placed(name, metadata).metadata,
    spec: { template, ...spec },
  };
}

/** A Service on port 80 for the Pods labelled `app: NAME`, unless `spec` sets other values. */
export function service(
  name: string,
  {
    spec = {},
    ...fields
  }: MetadataFields & { readonly spec?: Partial<ServiceObject['spec']> } = {},
): ServiceObject {
  const { metadata } = placed(name, fields);
  const defaults = { selector: { app: name }, ports: [{ port: 80 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: { ...defaults, ...spec } };
}

function workload(
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet',
  name: string,
  { replicas = 1, podLabels = { app: name }, podSpec = SLEEPING, spec, ...fields }: WorkloadFields,
  own: Readonly<Record<string, unknown>>,
): WorkloadObject {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: placed(name, fields).metadata,
    spec: {
      replicas,
      selector: { matchLabels: podLabels },
      template: { metadata: { labels: podLabels }, spec: podSpec },
      ...own,
      ...spec,
    },
  };
}

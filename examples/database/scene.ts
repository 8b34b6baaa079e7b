/** What the steps of all plans share: one SampleDB, and where to look for what belongs to it. */
import {
  isControlledBy,
  type KubernetesObject,
  type ObjectKey,
  objectKey,
  type ReconcileContext,
  type Source,
  source,
} from 'chancery';
import {
  configMaps,
  jobs,
  persistentVolumeClaims,
  type StatefulSet,
  services,
  statefulSets,
} from 'chancery/kubernetes';
import type { SampleDb } from './resources/sample-db.ts';

const MANAGED_BY = 'app.kubernetes.io/managed-by';
const INSTANCE = 'app.kubernetes.io/instance';
const OPERATOR = 'sampledb-operator';
const ours = { labelSelector: `${MANAGED_BY}=${OPERATOR}` };

/** Only what carries the operator's label is cached. */
export const sources = {
  statefulSets: source(statefulSets, ours),
  services: source(services, ours),
  configMaps: source(configMaps, ours),
  jobs: source(jobs, ours),
  /** They are the StatefulSet's, and nobody's children. */
  claims: source(persistentVolumeClaims, ours),
} as const;

export interface Scene {
  readonly db: SampleDb;
  readonly context: ReconcileContext<SampleDb>;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

export function sceneOf(db: SampleDb, context: ReconcileContext<SampleDb>): Scene {
  const { name, namespace = '', uid = '' } = db.metadata;
  return { db, context, name, namespace, uid };
}

/** Labels of everything that belongs to a SampleDB of this name. */
export function labelsOf(name: string): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': 'sampledb', [INSTANCE]: name, [MANAGED_BY]: OPERATOR };
}

/** Of everything that belongs to it, as text. */
export const selectorOf = (name: string): string => `${INSTANCE}=${name},${MANAGED_BY}=${OPERATOR}`;

/** A Pod of a Job has the labels of the instance as well: it is no replica, and serves nothing. */
export function replicaLabels(name: string): Readonly<Record<string, string>> {
  return { ...labelsOf(name), 'app.kubernetes.io/component': 'replica' };
}

/** The same as text: what an autoscaler counts. */
export const replicasOf = (name: string): string =>
  Object.entries(replicaLabels(name))
    .map((label) => label.join('='))
    .join(',');

export function isLabelled({ metadata }: KubernetesObject, name: string): boolean {
  return metadata.labels?.[INSTANCE] === name && metadata.labels[MANAGED_BY] === OPERATOR;
}

/** The SampleDB that an object names by its labels. */
export function instanceOf({ metadata }: Pick<KubernetesObject, 'metadata'>): readonly ObjectKey[] {
  const name = metadata.labels?.[INSTANCE];
  return name === undefined ? [] : [objectKey(metadata.namespace ?? '', name)];
}

/** A child of this very SampleDB, not of one before it that had the name. */
export function ownedOf<T extends KubernetesObject>(
  { db, context, namespace }: Scene,
  of: Source<T>,
  name: string,
): T | undefined {
  const known = context.store(of).get(objectKey(namespace, name));
  return known !== undefined && isControlledBy(known, db) ? known : undefined;
}

export const statefulSetOf = (scene: Scene): StatefulSet | undefined =>
  ownedOf(scene, sources.statefulSets, scene.name);

/** All replicas run what is stated, and are ready. */
export function isRolledOut({ metadata, spec, status }: StatefulSet): boolean {
  const { replicas = 1 } = spec;
  return (
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    (status?.updatedReplicas ?? 0) >= replicas &&
    (status?.readyReplicas ?? 0) >= replicas
  );
}

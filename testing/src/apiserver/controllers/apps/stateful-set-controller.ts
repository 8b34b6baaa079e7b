import type { Clock, ObjectKey } from 'chancery';
import { splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import { deletedOrReported, workAndReport } from '../pods/creation-failure.ts';
import { claimDependents, watchDependents, watchOrphans, watchSelf } from '../pods/dependents.ts';
import { availableInMs, isFinished, isReady, isTerminating, type Pod } from '../pods/pod.ts';
import { PODS } from '../pods/pod-template.ts';
import { Slice } from '../runner/slice.ts';
import { type Again, earliest, type WorkloadController } from '../runner/workload-controller.ts';
import { nonZero } from './replica-set.ts';
import {
  createStatefulPod,
  isHealthy,
  ordinalOf,
  ordinalsOf,
  partitionOf,
  STATEFUL_SETS,
  type StatefulSet,
} from './stateful-set.ts';
import {
  ensureTemplateRevision,
  forgetRevisions,
  REVISION_HASH,
  type TemplateRevision,
  templateRevisions,
} from './template-revisions.ts';

const DEFAULT_HISTORY = 10;

/**
 * Keeps one Pod per ordinal. Pods are created in order, and replaced and removed in reverse order.
 */
export function statefulSetController(
  access: ClusterAccess,
  clock: Clock,
  record: RecordEvent = recordNothing,
): WorkloadController {
  return {
    watches: [
      watchSelf(STATEFUL_SETS),
      watchDependents(PODS, 'StatefulSet'),
      watchOrphans(access, PODS, STATEFUL_SETS),
    ],
    reconcile: (key) => reconcile({ access, clock, record }, key),
  };
}

interface Tools {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly record: RecordEvent;
}

/** One StatefulSet and the facts that its controller has collected. */
interface Scene extends Tools {
  readonly set: StatefulSet;
  /** The revision of Pods below the partition. */
  readonly current: TemplateRevision;
  readonly update: TemplateRevision;
}

function reconcile(tools: Tools, key: ObjectKey): Again {
  const { access } = tools;
  const { namespace, name } = splitKey(key);
  const set = access.get(STATEFUL_SETS, namespace, name) as StatefulSet | undefined;
  if (set === undefined) return undefined;
  const update = ensureTemplateRevision(access, set, set.spec.template);
  const current = templateRevisions(access, set).find(
    ({ metadata }) => metadata.name === set.status?.currentRevision,
  );
  const scene: Scene = { ...tools, set, current: current ?? update, update };
  return workAndReport(
    () => (set.metadata.deletionTimestamp === undefined ? act(scene, podsOf(scene)) : undefined),
    () => reportStatus(scene, podsOf(scene)),
  );
}

function podsOf({ access, set }: Scene): readonly Pod[] {
  return claimDependents(access, PODS, set) as readonly Pod[];
}

/** Brings the Pods one step closer to the spec. Stops at the first Pod that it must wait for. */
function act(scene: Scene, pods: readonly Pod[]): 'more' | undefined {
  const { set, clock } = scene;
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  const slice = new Slice(clock);
  const alive = keepAllAlive(scene, pods, slice, isOrdered);
  if (alive === 'more') return 'more';
  if (alive === 'waits' && isOrdered) return undefined;
  const { first, end } = ordinalsOf(set);
  const superfluous = pods
    .filter((pod) => !(ordinalOf(pod) >= first && ordinalOf(pod) < end))
    .toSorted((left, right) => ordinalOf(right) - ordinalOf(left));
  const [last] = superfluous;
  if (isOrdered && last !== undefined) {
    if (!isTerminating(last)) remove(scene, last);
    return undefined;
  }
  const left = superfluous.filter((pod) => !isTerminating(pod));
  if (!slice.forEach(left, (pod) => remove(scene, pod))) return 'more';
  const isReplacing = alive === 'all' && set.spec.updateStrategy?.type !== 'OnDelete';
  if (isReplacing) replaceOutdated(scene, pods);
  return undefined;
}

/**
 * Creates missing Pods. In ordered mode, each Pod waits for the Pods before it. There may be a
 * billion ordinals, so the list of ordinals is never built as a whole.
 */
function keepAllAlive(
  scene: Scene,
  pods: readonly Pod[],
  slice: Slice,
  isOrdered: boolean,
): 'all' | 'waits' | 'more' {
  const byOrdinal = new Map(pods.toReversed().map((pod) => [ordinalOf(pod), pod]));
  const { first, end } = ordinalsOf(scene.set);
  let isSettled = true;
  for (let ordinal = first; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    const isAlive = pod !== undefined && isAvailable(scene, pod);
    if (isAlive) continue;
    isSettled = false;
    if (pod === undefined || (isFinished(pod) && pod.metadata.deletionTimestamp === undefined)) {
      if (slice.isOver) return 'more';
      slice.step(() => revive(scene, ordinal, pod));
    }
    if (isOrdered) break;
  }
  return isSettled ? 'all' : 'waits';
}

/** Creates the Pod of an ordinal if it is missing, or deletes it if it has finished. */
function revive(scene: Scene, ordinal: number, pod: Pod | undefined): void {
  if (pod === undefined) {
    const { access, set, current, update, record } = scene;
    createStatefulPod(access, set, ordinal, ordinal < partitionOf(set) ? current : update, record);
    recordDone(scene, 'Create', `${set.metadata.name}-${ordinal}`);
  } else remove(scene, pod);
}

function isAvailable({ set, clock }: Scene, pod: Pod): boolean {
  return isHealthy(pod) && availableInMs(pod, set.spec.minReadySeconds ?? 0, clock.now()) === 0;
}

/**
 * Deletes the outdated Pod with the highest ordinal. The next outdated Pod is deleted when the replacement is
 * available.
 */
function replaceOutdated(scene: Scene, pods: readonly Pod[]): void {
  const { set, update } = scene;
  const outdated = pods
    .filter((pod) => ordinalOf(pod) >= partitionOf(set))
    .filter((pod) => pod.metadata.labels?.[REVISION_HASH] !== update.metadata.name)
    .toSorted((left, right) => ordinalOf(right) - ordinalOf(left));
  const [next] = outdated;
  if (next !== undefined && !isTerminating(next)) remove(scene, next);
}

function remove(scene: Scene, { metadata }: Pod): void {
  const { access, record, set } = scene;
  const options = metadata.uid === undefined ? {} : { uid: metadata.uid };
  deletedOrReported(
    record,
    set,
    () => access.delete(PODS, metadata.namespace, metadata.name, options),
    (why) => `Delete Pod ${metadata.name} in StatefulSet ${set.metadata.name} failed error: ${why}`,
  );
  recordDone(scene, 'Delete', metadata.name);
}

function recordDone({ record, set }: Scene, verb: 'Create' | 'Delete', pod: string): void {
  record(set, {
    reason: `Successful${verb}`,
    message: `${verb} Pod ${pod} in StatefulSet ${set.metadata.name} successful`,
  });
}

function reportStatus(scene: Scene, pods: readonly Pod[]): number | undefined {
  const { access, clock, set, update } = scene;
  const inMs = pods
    .filter((pod) => !isTerminating(pod))
    .map((pod) => availableInMs(pod, set.spec.minReadySeconds ?? 0, clock.now()));
  const replicas = set.spec.replicas ?? 1;
  const of = ({ metadata }: TemplateRevision): number =>
    pods.filter(
      (pod) => !isTerminating(pod) && pod.metadata.labels?.[REVISION_HASH] === metadata.name,
    ).length;
  const ready = pods.filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  const isUpdated = of(update) === replicas && ready === replicas && pods.length === replicas;
  const current = isUpdated ? update : scene.current;
  const { namespace, name, generation } = set.metadata;
  const live = access.get(STATEFUL_SETS, namespace, name) as StatefulSet | undefined;
  if (live === undefined || live.metadata.uid !== set.metadata.uid) return undefined;
  const { conditions = [] } = live.status ?? {};
  access.updateStatus(STATEFUL_SETS, {
    ...live,
    status: {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      replicas: pods.length,
      ...nonZero({
        readyReplicas: ready,
        currentReplicas: of(current),
        updatedReplicas: of(update),
      }),
      currentRevision: current.metadata.name,
      updateRevision: update.metadata.name,
      collisionCount: 0,
      availableReplicas: inMs.filter((ms) => ms === 0).length,
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  } as StoredObject);
  const used = new Set([current, update].map(({ metadata }) => metadata.name));
  for (const pod of pods) used.add(pod.metadata.labels?.[REVISION_HASH] ?? '');
  forgetRevisions(access, set, used, set.spec.revisionHistoryLimit ?? DEFAULT_HISTORY);
  return earliest(inMs);
}

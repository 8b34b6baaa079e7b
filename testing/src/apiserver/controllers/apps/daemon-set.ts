import type { Clock, Condition, ObjectKey } from 'chancery';
import { splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import { createdOrReported, deletedOrReported, workAndReport } from '../pods/creation-failure.ts';
import { claimDependents, watchDependents, watchOrphans, watchSelf } from '../pods/dependents.ts';
import { availableInMs, isFinished, isReady, isTerminating, type Pod } from '../pods/pod.ts';
import { PODS, type PodTemplate, podFrom } from '../pods/pod-template.ts';
import { NODES, nodesFor } from '../pods/scheduler.ts';
import { Slice } from '../runner/slice.ts';
import { type Again, earliest, type WorkloadController } from '../runner/workload-controller.ts';
import { share } from './deployment.ts';
import { nonZero } from './replica-set.ts';
import {
  ensureTemplateRevision,
  forgetRevisions,
  REVISION_HASH,
  type TemplateRevision,
} from './template-revisions.ts';

const DAEMON_SETS: ResourceName = 'daemonsets.apps';

const DEFAULT_HISTORY = 10;

interface DaemonSet extends StoredObject {
  readonly spec: {
    readonly selector: object;
    readonly template: PodTemplate;
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete';
      readonly rollingUpdate?: { readonly maxUnavailable?: number | string };
    };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Keeps one Pod on every node that matches the template's node selector. */
export function daemonSetController(
  access: ClusterAccess,
  clock: Clock,
  record: RecordEvent = recordNothing,
): WorkloadController {
  return {
    watches: [
      watchSelf(DAEMON_SETS),
      watchDependents(PODS, 'DaemonSet'),
      watchOrphans(access, PODS, DAEMON_SETS),
      {
        resource: NODES,
        keysFor: () =>
          access
            .list(DAEMON_SETS)
            .map(({ metadata }) => `${metadata.namespace}/${metadata.name}` as ObjectKey),
      },
    ],
    reconcile: (key) => reconcile({ access, clock, record }, key),
  };
}

interface Tools {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly record: RecordEvent;
}

/** One DaemonSet and the facts that its controller has collected. */
interface Scene extends Tools {
  readonly set: DaemonSet;
  readonly revision: TemplateRevision;
  readonly nodes: readonly string[];
}

function reconcile(tools: Tools, key: ObjectKey): Again {
  const { access } = tools;
  const { namespace, name } = splitKey(key);
  const set = access.get(DAEMON_SETS, namespace, name) as DaemonSet | undefined;
  if (set === undefined) return undefined;
  const revision = ensureTemplateRevision(access, set, set.spec.template);
  // The Pods of a DaemonSet also run on cordoned nodes.
  const nodes = nodesFor(access, set.spec.template.spec, { unschedulable: true });
  const scene: Scene = { ...tools, set, revision, nodes };
  return workAndReport(
    () => (set.metadata.deletionTimestamp === undefined ? act(scene) : undefined),
    () => reportStatus(scene),
  );
}

function podsOf({ access, set }: Scene): readonly Pod[] {
  return claimDependents(access, PODS, set) as readonly Pod[];
}

function act(scene: Scene): 'more' | undefined {
  const { nodes, clock } = scene;
  const pods = podsOf(scene);
  const slice = new Slice(clock);
  const placed = new Set(pods.map(({ spec }) => spec.nodeName));
  const bare = nodes.filter((node) => !placed.has(node));
  const wanted = new Set(nodes);
  const misplaced = pods.filter(({ spec }) => !wanted.has(spec.nodeName ?? ''));
  const ended = pods.filter(isFinished);
  const unwanted = [...new Set([...misplaced, ...ended])].filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  const isDone =
    slice.forEach(bare, (node) => createOn(scene, node)) &&
    slice.forEach(unwanted, (pod) => remove(scene, pod));
  if (!isDone) return 'more';
  if (scene.set.spec.updateStrategy?.type !== 'OnDelete') replaceOutdated(scene, pods);
  return undefined;
}

function createOn({ access, set, revision, record }: Scene, nodeName: string): void {
  const { generation = 1, name } = set.metadata;
  const pod = podFrom(
    set.spec.template,
    set,
    { generateName: `${name}-` },
    {
      [REVISION_HASH]: revision.metadata.labels?.[REVISION_HASH] ?? '',
      'pod-template-generation': String(generation),
    },
  );
  const placed = { ...pod, spec: { ...(pod.spec as object), nodeName } } as StoredObject;
  const { metadata } = createdOrReported(record, set, () => access.create(PODS, placed));
  record(set, { reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
}

/** Deletes outdated Pods as far as `maxUnavailable` allows. Unavailable Pods are deleted first. */
function replaceOutdated(scene: Scene, pods: readonly Pod[]): void {
  const { set, nodes } = scene;
  const { maxUnavailable = 1 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const allowed = Math.max(share(maxUnavailable, nodes.length, Math.ceil), 1);
  const serving = new Set(pods.filter((pod) => isAvailable(scene, pod)));
  let budget = allowed - (nodes.length - serving.size);
  for (const pod of pods.filter((one) => !isTerminating(one) && !isCurrent(scene, one))) {
    const isServing = serving.has(pod);
    if (isServing && budget <= 0) continue;
    if (isServing) budget--;
    remove(scene, pod);
  }
}

function isCurrent({ revision }: Scene, { metadata }: Pod): boolean {
  return metadata.labels?.[REVISION_HASH] === revision.metadata.labels?.[REVISION_HASH];
}

function isAvailable(scene: Scene, pod: Pod): boolean {
  return !isTerminating(pod) && availableIn(scene, pod) === 0;
}

function availableIn({ set, clock }: Scene, pod: Pod): number | undefined {
  return availableInMs(pod, set.spec.minReadySeconds ?? 0, clock.now());
}

function remove({ access, record, set }: Scene, { metadata }: Pod): void {
  if (metadata.deletionTimestamp !== undefined) return;
  deletedOrReported(record, set, () => access.delete(PODS, metadata.namespace, metadata.name));
  record(set, { reason: 'SuccessfulDelete', message: `Deleted pod: ${metadata.name}` });
}

function reportStatus(scene: Scene): number | undefined {
  const { access, set, nodes } = scene;
  const pods = podsOf(scene).filter((pod) => !isTerminating(pod));
  const names = new Set(nodes);
  const wanted = pods.filter(({ spec }) => names.has(spec.nodeName ?? ''));
  const available = wanted.filter((pod) => isAvailable(scene, pod)).length;
  const { namespace, name, generation } = set.metadata;
  const live = access.get(DAEMON_SETS, namespace, name) as DaemonSet | undefined;
  if (live === undefined || live.metadata.uid !== set.metadata.uid) return undefined;
  const { conditions = [] } = live.status ?? {};
  access.updateStatus(DAEMON_SETS, {
    ...live,
    status: {
      currentNumberScheduled: wanted.length,
      numberMisscheduled: pods.length - wanted.length,
      desiredNumberScheduled: nodes.length,
      numberReady: wanted.filter(isReady).length,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...nonZero({
        updatedNumberScheduled: wanted.filter((pod) => isCurrent(scene, pod)).length,
        numberAvailable: available,
        numberUnavailable: nodes.length - available,
      }),
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  } as StoredObject);
  const used = new Set([scene.revision.metadata.name]);
  for (const pod of pods) used.add(`${name}-${pod.metadata.labels?.[REVISION_HASH]}`);
  forgetRevisions(access, set, used, set.spec.revisionHistoryLimit ?? DEFAULT_HISTORY);
  return earliest(wanted.map((pod) => availableIn(scene, pod)));
}

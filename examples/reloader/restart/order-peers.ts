/** Which other workloads a change restarts, and whether their restart is still to come. Reads caches only. */
import type { KubernetesObject, Source } from 'chancery';
import { decide, type ResourceView } from '../contract/decide.ts';
import type { Options } from '../contract/options.ts';
import { limitedLists, type WorkloadLists } from '../contract/workload-lists.ts';
import { readBaseline } from '../record/baseline.ts';
import type { Change } from '../record/plan-types.ts';
import { Records } from '../record/records.ts';
import { templateRecords } from '../record/template.ts';
import { BY_RESOURCE, patternValue, resourceValue, workloadSource } from '../sources.ts';
import { viewOf } from '../wanted.ts';
import type { ResourceKind, WorkloadKind } from '../workloads/kind.ts';
import type { RestartRequest } from './gate.ts';
import type { OrderPeer } from './order.ts';

interface PeerParts {
  readonly options: Options;
  readonly workloads: readonly WorkloadKind[];
  readonly resources: readonly ResourceKind[];
}

/** Kinds that every API server serves, and that have a rollout. Those of other kinds wait for their own kind, too. */
const PEER_KINDS: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

function peerKinds(own: string, workloads: readonly WorkloadKind[]): readonly WorkloadKind[] {
  return workloads.filter(({ kind }) => kind === own || PEER_KINDS.has(kind));
}

/** Sources that the controller of a kind reads for this, in addition to its own. */
export function peerSources(
  own: WorkloadKind,
  { options, workloads }: Omit<PeerParts, 'resources'>,
): readonly Source[] {
  if (options.orderLabel === undefined) return [];
  const others = peerKinds(own.kind, workloads).filter(({ kind }) => kind !== own.kind);
  return others.map((kind) => workloadSource(kind, options));
}

/** The peers of a restart, for `orderGate`. One that several changes restart may come several times. */
export function orderPeers({ options, workloads, resources }: PeerParts) {
  return function* peersOf(request: RestartRequest): Iterable<OrderPeer> {
    const { store } = request.context;
    const { namespace = '', uid } = request.workload.metadata;
    const lists = limitedLists();
    for (const change of request.plan.changes) {
      const annotations = annotationsOf(change, namespace, resources, request);
      for (const kind of peerKinds(request.kind.kind, workloads)) {
        const cached = store(workloadSource(kind, options));
        const found = [
          ...cached.byIndex(BY_RESOURCE, resourceValue(namespace, change)),
          ...cached.byIndex(BY_RESOURCE, patternValue(namespace, change.type)),
        ];
        for (const workload of found) {
          if (workload.metadata.uid === uid) continue;
          const isPending = isPendingFor(
            { ...change, annotations },
            kind,
            workload,
            options,
            lists,
          );
          if (isPending !== undefined) yield { kind: kind.kind, workload, isPending };
        }
      }
    }
  };
}

function annotationsOf(
  { type, name }: Change,
  namespace: string,
  resources: readonly ResourceKind[],
  { context }: RestartRequest,
): Readonly<Record<string, string>> {
  const kind = resources.find((each) => each.type === type);
  return kind?.find({ namespace, name }, context)?.annotations ?? {};
}

/** Undefined when the change does not concern the workload. */
function isPendingFor(
  change: Change & ResourceView,
  kind: WorkloadKind,
  workload: KubernetesObject,
  options: Options,
  lists: WorkloadLists,
): boolean | undefined {
  const template = kind.templateOf(workload);
  if (template === undefined || workload.metadata.deletionTimestamp !== undefined) return undefined;
  if (kind.isDone?.(workload) === true) return undefined;
  const view = viewOf(kind, workload, template);
  const { reload, container } = decide(change, view, options, lists);
  if (!reload) return undefined;
  const baseline = readBaseline(workload.metadata.annotations);
  const records = new Records(templateRecords(template), [change], {
    baseline,
    remembered: {},
    options,
    keepsTemplate: kind.keepsTemplate?.(workload) === true,
  });
  const entry = records.entryOf(change);
  if (
    records.shows({ ...change, container }, change.hash) ||
    records.isRecorded(change, change.hash)
  )
    return false;
  if (change.deleted && entry === '') return false;
  // Without any record the content is recorded, and nothing restarts.
  return entry !== undefined || records.knows(change);
}

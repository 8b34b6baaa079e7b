/** What `explanation` tells, read from the API server: for a command, which has no caches. */
import type { Client, Clock, KubernetesObject } from 'chancery';
import { annotationOf, type Problem } from '../contract/annotations.ts';
import { type Decision, decide, type WorkloadView } from '../contract/decide.ts';
import { keyLists } from '../contract/key-lists.ts';
import type { Options } from '../contract/options.ts';
import { namedList } from '../contract/patterns.ts';
import { pausePeriodOf } from '../contract/pause-period.ts';
import { referencesOf } from '../contract/references.ts';
import { type ResourceRef, refKey, refOfKey } from '../contract/resource-type.ts';
import { type Baseline, EVERY_NAME, readBaseline } from '../record/baseline.ts';
import { planFor, type Wanted } from '../record/plan.ts';
import type { RestartPlan } from '../record/plan-types.ts';
import { type MarkedResource, Records, type RecordsInput } from '../record/records.ts';
import { templateRecords } from '../record/template.ts';
import { rolloutWaitGate } from '../restart/rollout-wait.ts';
import { windowGate } from '../restart/window.ts';
import { namespaceScope } from '../sources.ts';
import { viewOf } from '../wanted.ts';
import type { PodTemplate, ResourceKind, WorkloadKind } from '../workloads/kind.ts';
import type { RecordState, WorkloadFacts } from './explain.ts';
import { ListedStores } from './listed-stores.ts';

export interface ExplainParts {
  readonly options: Options;
  readonly resources: readonly ResourceKind[];
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** One workload that was read. */
interface Explained extends ExplainParts {
  readonly kind: WorkloadKind;
  readonly workload: KubernetesObject;
  readonly namespace: string;
  readonly stores: ListedStores;
}

/**
 * @param asked - resources that are explained in addition to those that concern the workload.
 * @throws ApiError and the like.
 */
export async function workloadFacts(
  kind: WorkloadKind,
  workload: KubernetesObject,
  asked: readonly ResourceRef[],
  parts: ExplainParts,
): Promise<WorkloadFacts> {
  const { namespace = '', name } = workload.metadata;
  const stores = new ListedStores(parts.client, namespace, parts.signal);
  const explained = { ...parts, kind, workload, namespace, stores };
  const about = { kind: kind.kind, namespace, name };
  const template = kind.templateOf(workload);
  if (template === undefined) {
    const leftAlone = 'it has no Pod template that can be read';
    return { ...about, ...NOTHING, leftAlone };
  }
  const view = viewOf(kind, workload, template);
  const baseline = readBaseline(workload.metadata.annotations);
  const refs = await candidates(explained, view, baseline, asked);
  const judged = await Promise.all(refs.map((ref) => judge(explained, view, ref)));
  const planned = planOf(explained, template, baseline, judged);
  const problems = new Map(
    [keyLists(view).problems, ...judged.map(({ decision }) => decision.problems)]
      .flat()
      .map((problem) => [JSON.stringify(problem), problem]),
  );
  return {
    ...about,
    leftAlone: await whyLeftAlone(explained),
    resources: judged.map(({ ref, decision, hash }) => ({
      ref,
      decision,
      state: stateOf(
        explained,
        { ...ref, container: decision.container },
        hash,
        planned,
        template,
        baseline,
      ),
    })),
    ...withPauseProblem(waitsFor(explained, planned, [...problems.values()]), explained, view),
    ...pauseOf(explained, view),
  };
}

/** A period that cannot be used forbids the restart of a Deployment. */
function withPauseProblem(
  { waits, problems }: Pick<WorkloadFacts, 'waits' | 'problems'>,
  { options }: Explained,
  view: WorkloadView,
): Pick<WorkloadFacts, 'waits' | 'problems'> {
  const period = view.kind === 'Deployment' ? pausePeriodOf(view, options.annotations) : undefined;
  if (period === undefined || !('problem' in period)) return { waits, problems };
  const { problem } = period;
  const wait = `The restart waits until ${problem.annotation} can be used.`;
  return { waits: [...waits, wait], problems: [...problems, problem] };
}

const NOTHING = {
  resources: [],
  problems: [],
  waits: [],
  pausedAtMs: undefined,
  pausePeriodMs: undefined,
} as const;

/** A resource, what is decided about it, and its hash, which is read only when it matters. */
interface Judged {
  readonly ref: ResourceRef;
  readonly decision: Decision;
  readonly hash: string | undefined;
  readonly difference: Wanted['difference'];
}

async function judge(
  { options, resources, namespace, stores, client, signal }: Explained,
  view: WorkloadView,
  ref: ResourceRef,
): Promise<Judged> {
  const kind = resources.find(({ type }) => type === ref.type);
  const target = { namespace, name: ref.name };
  const context = { store: stores.store, client, signal };
  const found = kind?.find(target, context as never);
  const decision = decide({ ...ref, annotations: found?.annotations ?? {} }, view, options);
  const isRead = decision.reload && kind !== undefined && found !== undefined;
  const keys = keyLists(view).of(ref);
  const hash = isRead ? await kind.hash({ ...target, keys }, found, context as never) : undefined;
  return { ref: { ...ref, keys }, decision, hash, difference: found?.difference ?? 'restart' };
}

/** What the workload references, names or has recorded, and what was asked for; sorted, each once. */
async function candidates(
  { options, resources, stores, signal }: Explained,
  view: WorkloadView,
  baseline: Baseline,
  asked: readonly ResourceRef[],
): Promise<readonly ResourceRef[]> {
  const refs = new Map<string, ResourceRef>();
  const add = (ref: ResourceRef): void => {
    if (ref.name !== '' && resources.some(({ type }) => type === ref.type)) {
      refs.set(refKey(ref), ref);
    }
  };
  for (const { ref } of referencesOf(view.podSpec).values()) add(ref);
  for (const key of Object.keys(baseline)) {
    const ref = refOfKey(key);
    if (ref !== undefined && ref.name !== EVERY_NAME) add(ref);
  }
  for (const ref of asked) add(ref);
  const named = namedRefs(view, options, resources);
  for (const ref of named.refs) add(ref);
  for (const kind of resources) {
    const names = [...refs.values()].filter(({ type }) => type === kind.type);
    const isListed = named.listed.some((each) => each.kind === kind);
    await stores.read(kind, isListed ? 'all' : names.map(({ name }) => name));
  }
  signal.throwIfAborted();
  for (const { kind, matches } of named.listed) {
    for (const name of stores.names(kind)) if (matches(name)) add({ type: kind.type, name });
  }
  return [...refs.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, ref]) => ref);
}

interface Named {
  readonly refs: readonly ResourceRef[];
  /** Types whose names must be listed, because a pattern means some of them. */
  readonly listed: readonly {
    readonly kind: ResourceKind;
    readonly matches: (name: string) => boolean;
  }[];
}

function namedRefs(
  { annotations, templateAnnotations }: WorkloadView,
  { annotations: names }: Options,
  resources: readonly ResourceKind[],
): Named {
  const refs: ResourceRef[] = [];
  const listed: Named['listed'][number][] = [];
  for (const kind of resources) {
    const { type } = kind;
    for (const place of [annotations, templateAnnotations]) {
      const excluded = (annotationOf(place, names.exclude[type]) ?? '').split(',');
      refs.push(...excluded.map((name) => ({ type, name: name.trim() })));
      const text = annotationOf(place, names.reload[type]) ?? '';
      if (text === '') continue;
      const list = namedList(text);
      refs.push(...list.names.map((name) => ({ type, name })));
      const isExact = text.split(',').every((entry) => /^[-a-z0-9]*$/.test(entry.trim()));
      if (!isExact) listed.push({ kind, matches: (name) => list.matches(name) });
    }
  }
  return { refs, listed };
}

function planOf(
  { kind, workload, options, namespace, clock }: Explained,
  template: PodTemplate,
  baseline: Baseline,
  judged: readonly Judged[],
): RestartPlan | undefined {
  const wanted = judged
    .filter(({ decision }) => decision.reload)
    .map(({ ref, decision: { rule, auto, container }, hash, difference = 'restart' }): Wanted => {
      return { ...ref, hash, rule, auto, container, difference };
    });
  const input = recordsInput({ kind, workload, options }, baseline);
  return planFor({ ...input, namespace, template, wanted, options, nowMs: clock.now() }).restart;
}

function recordsInput(
  { kind, workload, options }: Pick<Explained, 'kind' | 'workload' | 'options'>,
  baseline: Baseline,
): RecordsInput {
  const keepsTemplate = kind.keepsTemplate?.(workload) === true;
  return { baseline, remembered: {}, options, keepsTemplate };
}

function stateOf(
  explained: Explained,
  ref: MarkedResource,
  hash: string | undefined,
  plan: RestartPlan | undefined,
  template: PodTemplate,
  baseline: Baseline,
): RecordState {
  const isDue = plan?.changes.some(({ type, name }) => type === ref.type && name === ref.name);
  if (isDue === true) return 'changed';
  if (hash === undefined) return 'absent';
  const records = new Records(templateRecords(template), [ref], recordsInput(explained, baseline));
  return records.shows(ref, hash) || records.isRecorded(ref, hash) ? 'recorded' : 'unrecorded';
}

async function whyLeftAlone({
  kind,
  workload,
  namespace,
  options,
  stores,
}: Explained): Promise<string | undefined> {
  if (workload.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (kind.isDone?.(workload) === true) return 'it is finished';
  if (options.namespaces?.includes(namespace) === false) {
    return 'its namespace is not one of those that are watched';
  }
  const scope = namespaceScope(options);
  if (scope.reads.length > 0) await stores.readNamespace(scope.reads);
  if (scope.includes(namespace, { store: stores.store })) return undefined;
  return 'a flag leaves its namespace out';
}

function waitsFor(
  { kind, workload, options, stores, clock, signal }: Explained,
  plan: RestartPlan | undefined,
  problems: readonly Problem[],
): Pick<WorkloadFacts, 'waits' | 'problems'> {
  const windows = options.restartWindows ? [windowGate()] : [];
  const gates = [...windows, ...(options.waitForRollout ? [rolloutWaitGate()] : [])];
  const all = [...problems, ...gates.flatMap((gate) => gate.problems?.(workload) ?? [])];
  if (plan === undefined) return { waits: [], problems: all };
  const context = { store: stores.store, signal };
  const waits = gates.flatMap((gate) => {
    const wait = gate.leftMs({ kind, workload, plan, context }, clock.now());
    return wait === undefined ? [] : [wait.note ?? wait.reason];
  });
  const order = options.orderLabel !== undefined && workload.metadata.labels?.[options.orderLabel];
  if (order) waits.push(`Workloads with a number below ${order} in the label of the order.`);
  if (options.throttle) waits.push('Its turn under --rollouts-per-second.');
  return { waits, problems: all };
}

function pauseOf(
  { workload: { metadata }, options }: Explained,
  view: WorkloadView,
): Pick<WorkloadFacts, 'pausedAtMs' | 'pausePeriodMs'> {
  if (view.kind !== 'Deployment') return { pausedAtMs: undefined, pausePeriodMs: undefined };
  const period = pausePeriodOf(view, options.annotations);
  const text = annotationOf(metadata.annotations ?? {}, options.annotations.pausedAt);
  const atMs = text === undefined ? Number.NaN : Date.parse(text);
  return {
    pausedAtMs: Number.isNaN(atMs) ? undefined : atMs,
    pausePeriodMs: period !== undefined && 'periodMs' in period ? period.periodMs : undefined,
  };
}

import { createHash } from 'node:crypto';
import type { KubernetesObject, ReconcileContext } from 'chancery';
import { type Annotations, annotationOf, type Problem } from './contract/annotations.ts';
import { type Decision, decide, type WorkloadView } from './contract/decide.ts';
import { keyLists } from './contract/key-lists.ts';
import { referencesOf } from './contract/references.ts';
import { type RefKey, type ResourceRef, refKey, refOfKey } from './contract/resource-type.ts';
import { MatchedLists } from './contract/workload-lists.ts';
import type { Engine } from './engine.ts';
import { isMandatory } from './read/mandatory.ts';
import { type Baseline, EVERY_NAME, IGNORED } from './record/baseline.ts';
import type { Wanted } from './record/plan.ts';
import type { FoundResource, PodTemplate, ResourceKind, WorkloadKind } from './workloads/kind.ts';

/** The resources that concern a workload, and what cannot be used of its annotations. */
export interface WantedResources {
  readonly wanted: readonly Wanted[];
  /** Resources with the ignore annotation, or that had it when they were deleted. */
  readonly ignored: readonly ResourceRef[];
  /** What the baseline is to say about lists of patterns, so that later creations are known. */
  readonly lists: Baseline;
  /** Milliseconds until a resource that is missing since the first deployment counts as absent. */
  readonly waitMs: number | undefined;
  readonly problems: readonly Problem[];
}

interface Concerned {
  readonly kind: ResourceKind;
  readonly ref: ResourceRef;
  readonly found: FoundResource | undefined;
  readonly decision: Decision;
}

/** How the decision sees a workload. */
export function viewOf(
  { kind }: Pick<WorkloadKind, 'kind'>,
  { metadata }: KubernetesObject,
  template: PodTemplate,
): WorkloadView {
  return {
    kind,
    annotations: metadata.annotations ?? {},
    templateAnnotations: template.metadata?.annotations ?? {},
    podSpec: template.spec,
  };
}

/**
 * Finds the resources that concern a workload, and reads the hashes of those that exist.
 *
 * @param owner - names the workload among those of all kinds.
 * @param recorded - what is recorded for the workload: a resource of it that is gone still concerns it.
 * @throws ApiError and the like when one cannot be read: it is never taken for absent then.
 */
export async function wantedResources(
  owner: string,
  about: KubernetesObject,
  workload: WorkloadView,
  recorded: Baseline,
  engine: Engine,
  context: ReconcileContext,
): Promise<WantedResources> {
  const { namespace = '' } = about.metadata;
  const keys = keyLists(workload);
  const problems = new Map(keys.problems.map((each) => [JSON.stringify(each), each]));
  const concerned: Concerned[] = [];
  const ignored: ResourceRef[] = [];
  const matched = new MatchedLists();
  for (const kind of engine.resources) {
    const given = { kind, namespace, workload, recorded, engine, context };
    for (const ref of await candidates(given, matched)) {
      const found = ref.name === '' ? undefined : kind.find({ namespace, name: ref.name }, context);
      const annotations = found?.annotations ?? annotationsOfAbsent(ref, recorded, engine);
      const decision = decide({ ...ref, annotations }, workload, engine.options, matched);
      // They are the same for all resources of the type.
      const told = ref.name === '' ? decision.problems : [];
      for (const problem of told) problems.set(JSON.stringify(problem), problem);
      if (decision.rule === 'resource-ignored') ignored.push(ref);
      if (ref.name === '' || !decision.reload) continue;
      concerned.push({ kind, ref: { ...ref, keys: keys.of(ref) }, found, decision });
    }
  }
  // Before the reads: what only this workload wants must not be forgotten in between.
  engine.wantedBy.set(
    owner,
    new Set(concerned.map(({ ref }) => `${ref.type}/${namespace}/${ref.name}`)),
  );
  const read = await Promise.all(concerned.map((each) => wantedOf(each, namespace, context)));
  const youthMs = engine.options.reloadOnCreate ? youthLeftMs(about.metadata, engine, context) : 0;
  const lists = listEntries(workload, engine);
  const wanted = read.map((each) => ({
    ...each,
    isNew: !each.auto && isLookedAt(each, lists, recorded),
    awaited: youthMs > 0 && each.hash === undefined && isMandatory(each, workload.podSpec),
  }));
  const waitMs = wanted.some(({ awaited }) => awaited) ? youthMs : undefined;
  return { wanted, ignored, lists, waitMs, problems: [...problems.values()] };
}

/**
 * For `--reload-on-create`: the names that a pattern means are not known before they are there, so that no entry can
 * say that one is missing. In its place an entry says that this very list was looked at.
 */
function listEntries({ annotations, templateAnnotations }: WorkloadView, engine: Engine): Baseline {
  const { options, resources } = engine;
  if (!options.reloadOnCreate) return {};
  const entries = resources.flatMap(({ type }) => {
    const key = options.annotations.reload[type];
    const texts = [annotations, templateAnnotations].map((each) => annotationOf(each, key) ?? '');
    if (texts.every((text) => EXACT.test(text))) return [];
    const digest = createHash('sha1').update(JSON.stringify(texts)).digest('hex');
    return [[refKey({ type, name: EVERY_NAME }), digest] as const];
  });
  return Object.fromEntries(entries);
}

/** A list without patterns. */
const EXACT = /^[-a-z0-9, ]*$/;

function isLookedAt({ type }: ResourceRef, lists: Baseline, recorded: Baseline): boolean {
  const key = refKey({ type, name: EVERY_NAME });
  return lists[key] !== undefined && lists[key] === recorded[key];
}

/** A first deployment is over after so many debounces: 30 s by default. */
const YOUTH_DEBOUNCES = 15;

/** Milliseconds until the workload is no longer one that is being deployed for the first time. */
function youthLeftMs(
  { creationTimestamp = '' }: KubernetesObject['metadata'],
  { options: { debounceMs } }: Engine,
  { clock }: ReconcileContext,
): number {
  const createdMs = Date.parse(creationTimestamp);
  if (Number.isNaN(createdMs)) return 0;
  const youthMs = YOUTH_DEBOUNCES * debounceMs;
  return Math.min(createdMs + youthMs - clock.now(), youthMs);
}

async function wantedOf(
  { kind, ref, found, decision }: Concerned,
  namespace: string,
  context: ReconcileContext,
): Promise<Wanted> {
  const hash = found && (await kind.hash({ ...ref, namespace }, found, context));
  const { rule, auto, container } = decision;
  const { difference = 'restart' } = found ?? {};
  return { ...ref, hash, rule, auto, container, difference };
}

interface Candidates {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly workload: WorkloadView;
  readonly recorded: Baseline;
  readonly engine: Engine;
  readonly context: ReconcileContext;
}

/** Every resource of the type that may concern the workload, each once. `matched` then knows which the lists mean. */
async function candidates(
  {
    kind: { type, names },
    namespace,
    workload,
    recorded,
    engine: { options },
    context,
  }: Candidates,
  matched: MatchedLists,
): Promise<Iterable<ResourceRef>> {
  const found = new Map<RefKey, ResourceRef>();
  const add = (ref: ResourceRef): void => void found.set(refKey(ref), ref);
  for (const { ref } of referencesOf(workload.podSpec).values()) if (ref.type === type) add(ref);
  for (const key of Object.keys(recorded)) {
    const ref = refOfKey(key);
    if (ref?.type === type && ref.name !== EVERY_NAME) add(ref);
  }
  const key = options.annotations.reload[type];
  const values = [workload.annotations, workload.templateAnnotations].flatMap(
    (annotations) => annotationOf(annotations, key) ?? [],
  );
  for (const value of values) {
    for (const name of (await matched.match(value, [])).names) add({ type, name });
  }
  const others = [...found.values()].map(({ name }) => name);
  const listed = values.length > 0 ? names(namespace, context) : [];
  for (const value of values) {
    await matched.match(value, others);
    const list = await matched.match(value, listed);
    for (const name of listed) if (list.matches(name)) add({ type, name });
  }
  add({ type, name: '' }); // no resource, but the decision reports annotations that cannot be used
  return found.values();
}

/**
 * A resource that is gone has taken its match annotation along, and one that will be created may come with it: the
 * records decide whether the absence means something. A resource that comes without it does not concern the workload.
 */
function annotationsOfAbsent(
  ref: ResourceRef,
  recorded: Baseline,
  { options }: Engine,
): Annotations {
  if (recorded[refKey(ref)] === IGNORED) return { [options.annotations.ignore]: 'true' };
  return { [options.annotations.match]: 'true' };
}

import { conditionsOf, statusOf } from '../../controller/object-shape/condition-list.ts';
import { type Condition, findCondition } from '../../model/condition.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { ChildType, PlannedChild, StatusCheck } from '../engine-options.ts';
import { isRolling } from './claims.ts';

/** What the decision needs to know about a revision. */
export interface RollingRevision {
  /** Identities of the children that are stored as children of the revision. */
  readonly claims: readonly string[];
  /**
   * The answer of the function for the revision; undefined if the function was not called for the revision.
   */
  readonly children: readonly PlannedChild[] | undefined;
}

/** The input of the decision. */
export interface RollingState {
  readonly latest: RollingRevision & { readonly children: readonly PlannedChild[] };
  /** Older revisions. If several claim a child, the first one counts. */
  readonly older: readonly RollingRevision[];
  /** The existing children, by identity. */
  readonly observed: ReadonlyMap<string, KubernetesObject>;
  /** Identities of the observed children that match the latest answer. */
  readonly upToDate: ReadonlySet<string>;
}

/** The progress of a rolling update. */
export type RollingStep =
  /** Every child belongs to the latest revision. */
  | { readonly kind: 'settled' }
  /** This child moves to the latest revision now. */
  | { readonly kind: 'progressing'; readonly child: PlannedChild }
  /** No child moves until this child, which belongs to the latest revision, is ready. */
  | { readonly kind: 'waiting'; readonly child: PlannedChild; readonly because: string };

/** The decision of a rolling update in one reconcile. */
export interface RollingDecision {
  /** Identities of the children that now belong to the latest revision. */
  readonly latestClaims: readonly string[];
  /** Identities of the children of each older revision, in the order of `RollingState.older`. */
  readonly olderClaims: readonly (readonly string[])[];
  /** The desired children of all revisions together, in the order of the latest answer. */
  readonly children: readonly PlannedChild[];
  readonly step: RollingStep;
}

/**
 * Decides which child belongs to which revision. Children without a revision, and children that already match
 * the latest answer, move to the latest revision at once. Of the remaining children, one per reconcile moves,
 * in the order of the latest answer. It moves only if every child of the latest revision exists, is up to
 * date and passes its status checks.
 *
 * The result depends only on the argument, so the same state always leads to the same decision, in this
 * process and in its successor.
 */
export function decideRolling({ latest, older, ...cluster }: RollingState): RollingDecision {
  const rolling = latest.children.filter(({ type }) => isRolling(type));
  const owners = ownersOf(rolling, latest, older);
  const answers = older.map(({ children = [] }) => byIdentity(children));
  for (const { identity } of rolling) {
    if (cluster.upToDate.has(identity)) owners.set(identity, LATEST);
  }
  const step = nextStep(rolling, owners, cluster);
  if (step.kind === 'progressing') owners.set(step.child.identity, LATEST);
  const claimsOf = (owner: number): readonly string[] =>
    rolling.map(({ identity }) => identity).filter((identity) => owners.get(identity) === owner);
  return {
    latestClaims: claimsOf(LATEST),
    olderClaims: older.map((_, index) => claimsOf(index)),
    children: latest.children.map((child) => wantedNow(child, owners, answers)),
    step,
  };
}

/**
 * The number of the latest revision in the map of the children's revisions. All other numbers are indices of
 * `RollingState.older`.
 */
const LATEST = -1;

/**
 * The revision of each child in the latest answer. If several revisions claim a child, the latest revision
 * wins, otherwise the first one in order. Claims of children that are not in the latest answer are dropped,
 * because those children are deleted.
 */
function ownersOf(
  rolling: readonly PlannedChild[],
  latest: RollingRevision,
  older: readonly RollingRevision[],
): Map<string, number> {
  const claimed = new Map<string, number>();
  for (const [index, { claims }] of [...older.entries()].toReversed()) {
    for (const identity of claims) claimed.set(identity, index);
  }
  for (const identity of latest.claims) claimed.set(identity, LATEST);
  return new Map(rolling.map(({ identity }) => [identity, claimed.get(identity) ?? LATEST]));
}

function nextStep(
  rolling: readonly PlannedChild[],
  owners: ReadonlyMap<string, number>,
  cluster: Pick<RollingState, 'observed' | 'upToDate'>,
): RollingStep {
  const next = rolling.find(({ identity }) => owners.get(identity) !== LATEST);
  if (next === undefined) return { kind: 'settled' };
  for (const child of rolling) {
    if (owners.get(child.identity) !== LATEST) continue;
    const because = unready(child, cluster);
    if (because !== undefined) return { kind: 'waiting', child, because };
  }
  return { kind: 'progressing', child: next };
}

/**
 * Why this child, which belongs to the latest revision, is not ready. The next child waits for it. Undefined
 * when it is ready.
 */
function unready(
  { identity, type }: PlannedChild,
  { observed, upToDate }: Pick<RollingState, 'observed' | 'upToDate'>,
): string | undefined {
  const child = observed.get(identity);
  if (child === undefined) return 'does not exist yet';
  if (child.metadata.deletionTimestamp !== undefined) return 'is being deleted';
  if (!upToDate.has(identity)) return 'is not updated yet';
  return waitsFor(child, type);
}

/**
 * The desired state of a child in this reconcile. If the function was not called for the child's older
 * revision, or that answer no longer contains the child, the child stays as it is until its turn comes.
 */
function wantedNow(
  child: PlannedChild,
  owners: ReadonlyMap<string, number>,
  answers: readonly ReadonlyMap<string, PlannedChild>[],
): PlannedChild {
  const owner = owners.get(child.identity) ?? LATEST;
  if (owner === LATEST) return child;
  const answered = answers[owner]?.get(child.identity);
  if (answered !== undefined) return answered;
  const type: ChildType = { ...child.type, update: 'keep' };
  return { ...child, type };
}

function byIdentity(children: readonly PlannedChild[]): ReadonlyMap<string, PlannedChild> {
  return new Map(children.map((child) => [child.identity, child]));
}

/**
 * Why a rolling update must wait for an updated child; undefined when it can continue. A child that was just
 * changed in place may still have the status of its former spec. So if its status contains an observed
 * generation, that must be the current generation.
 */
function waitsFor(
  child: KubernetesObject,
  { update, statusChecks }: Pick<ChildType, 'update' | 'statusChecks'>,
): string | undefined {
  const { observedGeneration, conditions } = statusOf(child);
  const isBehind =
    typeof observedGeneration === 'number' &&
    observedGeneration > 0 &&
    observedGeneration < (child.metadata.generation ?? 0);
  if (update === 'rolling-apply' && isBehind) return 'has not observed its latest generation';
  for (const check of statusChecks) {
    const failure = failureOf(check, conditionsOf({ conditions }));
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function failureOf(check: StatusCheck, conditions: readonly Condition[]): string | undefined {
  const found = findCondition(conditions, check.type);
  if (found === undefined) return `has no condition ${check.type}`;
  for (const part of ['status', 'reason'] as const) {
    const wanted = check[part];
    const actual = typeof found[part] === 'string' ? found[part] : '';
    if (wanted !== undefined && actual !== wanted) {
      return `has ${part} "${actual}" in condition ${check.type}, not "${wanted}"`;
    }
  }
  return undefined;
}

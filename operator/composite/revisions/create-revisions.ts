import type { ChildWriter } from '../../controller/children/child-writer.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { boundedText } from '../../core/text/visible-text.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type {
  ChildType,
  LiveRevisions,
  PlannedChild,
  Revisions,
  RollingPlan,
} from '../engine-options.ts';
import { type ClaimedNames, ClaimNames, isRolling, isSameClaim } from './claims.ts';
import {
  DEFAULT_FIELD_PATHS,
  type ParentPatch,
  parentPatch,
  patchText,
  withParentPatch,
} from './parent-patch.ts';
import { contentOf, nameOf, type RevisionFormat } from './revision-format.ts';
import { RevisionStore } from './revision-store.ts';
import { decideRolling, type RollingDecision, type RollingStep } from './rolling-decision.ts';

/**
 * Maximum number of revisions for which the function is called in one reconcile, including the latest. Every
 * older revision has at least one child that no other revision has, so a parent has at most one more revision
 * than it has children. The children of revisions beyond this maximum stay as they are until their turn
 * comes.
 */
const MAX_ASKED = 10;

/** Maximum length of the message of the condition `Updated`. */
const MAX_MESSAGE_CHARS = 1_024;

export interface RevisionsOptions {
  /** Name of the controller, for errors. */
  readonly controller: string;
  readonly parentResource: Resource;
  readonly children: readonly ChildType[];
  readonly writer: ChildWriter;
  readonly format: RevisionFormat;
  /** The fields of a parent that define a revision. Default `spec`; an empty list also means `spec`. */
  readonly fieldPaths?: readonly string[] | undefined;
  /**
   * The namespace for the revisions of cluster-scoped parents, because a ControllerRevision needs a
   * namespace. The parent still owns them. Revisions of a namespaced parent are stored in the parent's
   * namespace.
   */
  readonly namespace?: string | undefined;
}

/**
 * Rolling updates for a composite.
 *
 * @throws ConfigurationError `CONFIG` for a cluster-scoped parent without `namespace`.
 */
export function createRevisions(options: RevisionsOptions): Revisions {
  const { controller, parentResource, namespace } = options;
  if (!parentResource.namespaced && namespace === undefined) {
    throw new ConfigurationError(
      'revisions of a cluster-scoped parent need a namespace to be stored in',
      { context: { controller } },
    );
  }
  return new StoredRevisions(options);
}

/** A revision as it was read. */
interface LiveRevision {
  readonly name: string;
  readonly patch: ParentPatch;
  readonly children: readonly ClaimedNames[];
  /** Undefined for a revision that is not stored yet. */
  readonly object: KubernetesObject | undefined;
}

/** The revisions of one parent, as found by `read`. */
interface ReadState {
  readonly latest: LiveRevision;
  /** The older revisions, newest first. */
  readonly older: readonly LiveRevision[];
  /** Stored revisions that have the same content as the latest revision or an older revision. */
  readonly repeated: readonly KubernetesObject[];
}

interface Planning {
  readonly parent: KubernetesObject;
  readonly context: ReconcileContext;
}

class StoredRevisions implements Revisions {
  readonly wiring: Revisions['wiring'];
  readonly stored: Revisions['stored'];
  readonly #options: RevisionsOptions;
  readonly #store: RevisionStore;
  readonly #fieldPaths: readonly string[];

  constructor(options: RevisionsOptions) {
    const { fieldPaths = [], format, parentResource, namespace } = options;
    this.#options = options;
    this.#fieldPaths = fieldPaths.length > 0 ? fieldPaths : DEFAULT_FIELD_PATHS;
    const placed = parentResource.namespaced ? undefined : namespace;
    this.#store = new RevisionStore({ format, parentResource, namespace: placed });
    const namespaces = placed === undefined ? {} : { namespaces: [placed] };
    this.wiring = {
      reads: [this.#store.source],
      permissions: [
        { resource: format.resource, ...namespaces, verbs: ['create', 'patch', 'delete'] },
        // This right is needed for the condition `Updated`.
        { resource: parentResource, subresource: 'status', verbs: ['patch'] },
      ],
    };
    this.stored = [{ resource: format.resource, parents: [parentResource], labels: format.labels }];
  }

  async read(parent: KubernetesObject, context: ReconcileContext): Promise<LiveRevisions> {
    const state = this.#stateOf(parent, await this.#store.claim(parent, context));
    const older = state.older.slice(0, MAX_ASKED - 1);
    if (older.length < state.older.length) {
      context.log.warn(
        { revisions: state.older.length + 1, asked: MAX_ASKED },
        'too many revisions are alive, children of the oldest are left as they are',
      );
    }
    return {
      asked: [
        { name: state.latest.name, parent },
        ...older.map(({ name, patch }) => ({
          name,
          parent: withParentPatch(parent, patch, this.#fieldPaths),
        })),
      ],
      plan: (answers, observed) => this.#plan(state, answers, observed, { parent, context }),
    };
  }

  #stateOf(parent: KubernetesObject, objects: readonly KubernetesObject[]): ReadState {
    const patch = parentPatch(parent, this.#fieldPaths);
    const text = patchText(patch);
    const byText = new Map<string, LiveRevision>();
    const repeated: KubernetesObject[] = [];
    for (const object of objects) {
      const content = contentOf(this.#options.format, object);
      const key = patchText(content.parentPatch);
      const known = byText.get(key);
      if (known !== undefined) repeated.push(object);
      byText.set(key, {
        name: known?.name ?? object.metadata.name,
        patch: content.parentPatch,
        children: [...(known?.children ?? []), ...content.children],
        object: known?.object ?? object,
      });
    }
    const latest = byText.get(text);
    byText.delete(text);
    return {
      latest: latest ?? {
        name: nameOf(this.#options.format, parent, text),
        patch,
        children: [],
        object: undefined,
      },
      older: [...byText.values()].toReversed(),
      repeated,
    };
  }

  async #plan(
    state: ReadState,
    [children = [], ...olderAnswers]: readonly (readonly PlannedChild[])[],
    observed: ReadonlyMap<string, KubernetesObject>,
    { parent, context }: Planning,
  ): Promise<RollingPlan> {
    const names = new ClaimNames(parent, this.#options.children);
    const hasOlder = state.older.length > 0;
    const decision = decideRolling({
      latest: { claims: names.identitiesOf(state.latest.children), children },
      older: state.older.map(({ children: claimed }, at) => ({
        claims: names.identitiesOf(claimed),
        children: olderAnswers[at],
      })),
      observed,
      upToDate: hasOlder ? await this.#upToDate(children, observed, parent, context) : new Set(),
    });
    return {
      children: decision.children,
      condition: conditionOf(decision.step, state.latest.name, names),
      store: async (given) => this.#write({ state, decision, names, parent }, given),
    };
  }

  /** Called only during a rolling update, because a comparison may cost a request. */
  async #upToDate(
    children: readonly PlannedChild[],
    observed: ReadonlyMap<string, KubernetesObject>,
    owner: KubernetesObject,
    context: ReconcileContext,
  ): Promise<ReadonlySet<string>> {
    const { writer, parentResource: ownerResource } = this.#options;
    const upToDate = new Set<string>();
    for (const { type, object, identity } of children) {
      const existing = observed.get(identity);
      if (existing === undefined || !isRolling(type)) continue;
      const write = { owner, ownerResource, context };
      if (!(await writer.differs(type.resource, object, existing, write))) upToDate.add(identity);
    }
    return upToDate;
  }

  /**
   * Writes the latest revision first. If the process ends before the older revisions are written, two
   * revisions claim a child, and the claim of the latest revision counts. If the older revisions were written
   * first, no revision would claim the child.
   */
  async #write(
    { state, decision, names, parent }: Decided,
    context: ReconcileContext,
  ): Promise<void> {
    const { latest, older, repeated } = state;
    const claimed = (identities: readonly string[], { children: before }: LiveRevision) => {
      const wanted = new Set(identities);
      const all = decision.children.filter(({ identity }) => wanted.has(identity));
      return names.toStore(all, before);
    };
    const children = claimed(decision.latestClaims, latest);
    if (latest.object === undefined) {
      const content = { parentPatch: latest.patch, children };
      await this.#store.create(latest.name, content, parent, context);
    } else {
      await this.#change(latest.object, children, context);
    }
    for (const [index, revision] of older.entries()) {
      const { object } = revision;
      if (object === undefined) continue;
      const left = claimed(decision.olderClaims[index] ?? [], revision);
      if (left.length > 0) await this.#change(object, left, context);
      else await this.#store.remove(object, context);
    }
    for (const object of repeated) await this.#store.remove(object, context);
  }

  async #change(
    object: KubernetesObject,
    children: readonly ClaimedNames[],
    context: ReconcileContext,
  ): Promise<void> {
    if (isSameClaim(contentOf(this.#options.format, object).children, children)) return;
    await this.#store.change(object, children, context);
  }
}

interface Decided {
  readonly state: ReadState;
  readonly decision: RollingDecision;
  readonly names: ClaimNames;
  readonly parent: KubernetesObject;
}

function conditionOf(
  step: RollingStep,
  latest: string,
  names: ClaimNames,
): RollingPlan['condition'] {
  const type = 'Updated';
  if (step.kind === 'settled') {
    // Metacontroller writes the same message. So when parents are taken over from it, not every status has to
    // be written.
    const message = `latest ControllerRevision: ${latest}`;
    return { type, status: 'True', reason: 'OnLatestRevision', message };
  }
  const { resource } = step.child.type;
  const child = `${resource.kind} ${names.nameOf(step.child.object.metadata)}`;
  if (step.kind === 'progressing') {
    const message = `${child} goes to the latest revision, ${latest}`;
    return { type, status: 'False', reason: 'RolloutProgressing', message };
  }
  const message = boundedText(`waiting for ${child}: it ${step.because}`, MAX_MESSAGE_CHARS);
  return { type, status: 'False', reason: 'RolloutWaiting', message };
}

import { isDeepStrictEqual } from 'node:util';
import {
  byLabelIfUncontrolled,
  UNCONTROLLED_INDEX,
} from '../../../operator/composite/adopt-orphans.ts';
import { childIdentity, OWNER_INDEX } from '../../../operator/composite/child.ts';
import type {
  ChildType,
  LiveRevisions,
  PlannedChild,
  Revisions,
  RollingPlan,
  StatusCheck,
} from '../../../operator/composite/engine-options.ts';
import { createRevisions } from '../../../operator/composite/revisions/create-revisions.ts';
import {
  chanceryFormat,
  metacontrollerFormat,
  type RevisionFormat,
} from '../../../operator/composite/revisions/revision-format.ts';
import type { ChildWriter } from '../../../operator/controller/children/child-writer.ts';
import type { ReconcileContext } from '../../../operator/controller/reconciler.ts';
import { source } from '../../../operator/controller/source.ts';
import { pods } from '../../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { defineResource, type Resource } from '../../../operator/model/resource.ts';
import { ApiError } from '../../../operator/model/status.ts';
import { byOwner, type IndexFunction } from '../../../operator/store/indices.ts';

/** A child, or a parent, or a stored revision. */
export type Held = KubernetesObject & {
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly children?: unknown;
  readonly parentPatch?: unknown;
  readonly data?: unknown;
};

/** The process ends at this write. */
export class Killed extends Error {}

interface Merge {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string };
  readonly [field: string]: unknown;
}

/** How many writes the process makes before it ends. */
interface Life {
  writesLeft: number;
}

/** Objects by name, with the guards of an API server that writes rely on. */
export class Objects {
  readonly all = new Map<string, Held>();
  /** What was written, in order. */
  readonly writes: string[] = [];
  readonly #life: Life;
  #version = 100;

  constructor(life: Life) {
    this.#life = life;
  }

  #stamp<T extends KubernetesObject>(object: T, version: number): T {
    return { ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } };
  }

  #written(what: string): number {
    if (this.#life.writesLeft === 0) throw new Killed(what);
    this.#life.writesLeft -= 1;
    this.writes.push(what);
    this.#version += 1;
    return this.#version;
  }

  create(object: Held): Held {
    const { name } = object.metadata;
    if (this.all.has(name)) {
      throw new ApiError({ code: 409, reason: 'AlreadyExists', message: `${name} exists` });
    }
    const version = this.#written(`create ${name}`);
    const uid = object.metadata.uid ?? `uid-${name}-${version}`;
    const creationTimestamp = new Date(version * 1_000).toISOString();
    const metadata = { generation: 1, ...object.metadata, uid, creationTimestamp };
    const created = this.#stamp({ ...object, metadata }, version);
    this.all.set(name, created);
    return created;
  }

  merge(name: string, body: Merge): Held {
    const known = this.#guarded(name, body.metadata);
    const version = this.#written(`patch ${name}`);
    const changed = this.#stamp(mergePatch(known, body) as Held, version);
    this.all.set(name, changed);
    return changed;
  }

  delete(name: string, guards: Merge['metadata'] = {}): void {
    this.#guarded(name, guards);
    this.#written(`delete ${name}`);
    this.all.delete(name);
  }

  /** Changes an object as another program does, without a count. */
  change(name: string, by: (object: Held) => Held): void {
    const known = this.all.get(name);
    if (known === undefined) throw new Error(`no ${name}`);
    this.#version += 1;
    this.all.set(name, this.#stamp(by(known), this.#version));
  }

  #guarded(name: string, { uid, resourceVersion }: Merge['metadata']): Held {
    const known = this.all.get(name);
    if (known === undefined) {
      throw new ApiError({
        code: 404,
        reason: 'NotFound',
        message: `no ${name}`,
        details: { name },
      });
    }
    const isOther = uid !== undefined && uid !== known.metadata.uid;
    const isOlder =
      resourceVersion !== undefined && resourceVersion !== known.metadata.resourceVersion;
    if (isOther || isOlder) {
      throw new ApiError({ code: 409, reason: 'Conflict', message: `${name} was changed` });
    }
    return known;
  }
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result = new Map(Object.entries((target ?? {}) as object));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else if (value !== undefined) result.set(name, mergePatch(result.get(name), value));
  }
  return Object.fromEntries(result);
}

export const fruits: Resource = defineResource({
  group: 'fruit.example',
  version: 'v1',
  plural: 'orchards',
  kind: 'Orchard',
  namespaced: true,
});

export const forests: Resource = defineResource({
  group: 'fruit.example',
  version: 'v1',
  plural: 'forests',
  kind: 'Forest',
  namespaced: false,
});

export const READY_CHECK: readonly StatusCheck[] = [{ type: 'Ready', status: 'True' }];

export interface RolloutOptions {
  readonly update?: 'rolling-apply' | 'rolling-recreate';
  readonly statusChecks?: readonly StatusCheck[];
  readonly isClusterScoped?: boolean;
  readonly format?: 'chancery' | 'metacontroller';
  readonly fieldPaths?: readonly string[];
  /** What the function answers: names of children, of which each gets `spec.taste` of the parent. */
  readonly names?: readonly string[];
  readonly generateSelector?: boolean;
}

const INDEXES: Readonly<Record<string, IndexFunction>> = {
  [OWNER_INDEX]: byOwner,
  [UNCONTROLLED_INDEX]: byLabelIfUncontrolled,
};

/** Children as this test compares them: by their spec. */
const bySpec: ChildWriter = {
  create: () => Promise.reject(new Error('not used')),
  differs: async (_resource, desired, observed) =>
    !isDeepStrictEqual((desired as { spec?: unknown }).spec, (observed as Held).spec),
  update: () => Promise.reject(new Error('not used')),
};

/** A parent, its children and its revisions, with an engine around `Revisions` that does as little as it can. */
export class Rollout {
  readonly life: Life = { writesLeft: Number.POSITIVE_INFINITY };
  readonly children: Objects = new Objects(this.life);
  readonly stored: Objects = new Objects(this.life);
  readonly conditions: string[] = [];
  /** What the function was asked: the name of each revision and the taste of its parent. */
  asked: readonly { readonly name: string; readonly taste: unknown }[] = [];
  names: readonly string[];
  parent: Held;
  revisions: Revisions;
  readonly type: ChildType;
  readonly resource: Resource;
  readonly #options: RolloutOptions;

  constructor(options: RolloutOptions = {}) {
    this.#options = options;
    const { update = 'rolling-recreate', statusChecks = READY_CHECK } = options;
    this.names = options.names ?? ['a', 'b', 'c'];
    this.resource = options.isClusterScoped === true ? forests : fruits;
    this.type = { resource: pods, update, statusChecks, source: source(pods) };
    this.parent = {
      apiVersion: 'fruit.example/v1',
      kind: this.resource.kind,
      metadata: {
        name: 'north',
        ...(this.resource.namespaced && { namespace: 'farm' }),
        uid: '22222222-0000-4000-8000-000000000002',
        generation: 1,
      },
      spec: { taste: 'sweet' },
    };
    this.revisions = this.successor();
  }

  get format(): RevisionFormat {
    const { format = 'metacontroller', generateSelector = true } = this.#options;
    if (format === 'chancery') return chanceryFormat('orchards');
    return metacontrollerFormat({
      parentResource: this.resource,
      generateSelector,
      selector: (parent) => (parent as { spec?: { selector?: object } }).spec?.selector,
    });
  }

  /** Reconciles; false when the process has ended at a write. */
  async survives(): Promise<boolean> {
    try {
      await this.reconcile();
      return true;
    } catch (error) {
      if (error instanceof Killed) return false;
      throw error;
    }
  }

  /** Another process that knows nothing but the cluster. */
  successor(): Revisions {
    this.life.writesLeft = Number.POSITIVE_INFINITY;
    this.revisions = createRevisions({
      controller: 'orchards',
      parentResource: this.resource,
      children: [this.type],
      writer: bySpec,
      format: this.format,
      fieldPaths: this.#options.fieldPaths,
      namespace: this.resource.namespaced ? undefined : 'system',
    });
    return this.revisions;
  }

  get context(): ReconcileContext {
    const { stored, parent } = this;
    const held = (): Held[] => [...stored.all.values()];
    return {
      store: () => ({
        byIndex: (index: string, value: string) =>
          held().filter((object) => INDEXES[index]?.(object).includes(value)),
      }),
      client: {
        find: async (resource: Resource, { name }: { name: string }) =>
          resource === this.resource ? parent : stored.all.get(name),
        create: async (_resource: unknown, object: Held) => stored.create(object),
        patch: async (_resource: unknown, { name }: { name: string }, { body }: { body: Merge }) =>
          stored.merge(name, body),
        delete: async (
          _resource: unknown,
          { name }: { name: string },
          { preconditions }: { preconditions: Merge['metadata'] },
        ) => stored.delete(name, preconditions),
      },
      log: { debug() {}, info() {}, warn() {}, error() {} },
    } as unknown as ReconcileContext;
  }

  observed(): ReadonlyMap<string, Held> {
    const all = [...this.children.all.values()];
    return new Map(all.map((child) => [childIdentity(pods, child.metadata), child]));
  }

  answer(parent: KubernetesObject): readonly PlannedChild[] {
    const { spec } = parent as { readonly spec?: { readonly taste?: unknown } };
    return this.names.map((name) => {
      const metadata = { name, namespace: parent.metadata.namespace ?? 'far' };
      const object = { metadata, spec: { taste: spec?.taste } };
      return { resource: pods, type: this.type, object, identity: childIdentity(pods, metadata) };
    });
  }

  async read(): Promise<LiveRevisions> {
    return this.revisions.read(this.parent, this.context);
  }

  async plan(): Promise<RollingPlan> {
    const live = await this.read();
    this.asked = live.asked.map(({ name, parent }) => ({
      name,
      taste: (parent as { spec?: { taste?: unknown } }).spec?.taste,
    }));
    const answers = live.asked.map(({ parent }) => this.answer(parent));
    return live.plan(answers, this.observed());
  }

  /** One reconcile, as the engine does it. */
  async reconcile(): Promise<void> {
    const plan = await this.plan();
    const { status, reason } = plan.condition;
    const said = `${status} ${reason}`;
    if (this.conditions.at(-1) !== said) this.conditions.push(said);
    await plan.store(this.context);
    const wanted = new Set(plan.children.map(({ object }) => object.metadata.name));
    for (const name of [...this.children.all.keys()]) {
      if (!wanted.has(name)) this.children.delete(name);
    }
    for (const child of plan.children) this.#bring(child);
  }

  #bring({ object, type }: PlannedChild): void {
    const name = object.metadata.name ?? '';
    const { spec } = object as { spec?: unknown };
    const known = this.children.all.get(name);
    if (known === undefined) {
      this.children.create({ apiVersion: 'v1', kind: 'Pod', ...object, spec } as Held);
    } else if (type.update !== 'keep' && !isDeepStrictEqual(known.spec, spec)) {
      if (type.update === 'rolling-recreate') this.children.delete(name);
      else {
        const generation = (known.metadata.generation ?? 0) + 1;
        this.children.merge(name, { spec, metadata: { generation } as Merge['metadata'] });
      }
    }
  }

  /** The kubelet and its like: the child has seen its spec, and is ready or not. */
  observe(name: string, ready: boolean): void {
    this.children.change(name, (child) => ({
      ...child,
      status: {
        observedGeneration: child.metadata.generation,
        conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      },
    }));
  }

  observeAll(): void {
    for (const name of this.children.all.keys()) this.observe(name, true);
  }

  edit(spec: object): void {
    const { metadata } = this.parent;
    const generation = (metadata.generation ?? 0) + 1;
    this.parent = { ...this.parent, metadata: { ...metadata, generation }, spec };
  }

  /** Reconciles until nothing is written, and every child becomes ready in between. */
  async settle(): Promise<void> {
    this.observeAll();
    for (let round = 0; round < 100; round++) {
      const before = this.children.writes.length + this.stored.writes.length;
      await this.reconcile();
      this.observeAll();
      if (this.children.writes.length + this.stored.writes.length === before) return;
    }
    throw new Error('does not settle');
  }

  /** The taste of each child, in the order of the answer. */
  tastes(): readonly unknown[] {
    return this.names.map(
      (name) => (this.children.all.get(name)?.spec as { taste?: unknown } | undefined)?.taste,
    );
  }
}

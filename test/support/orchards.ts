/**
 * Parents with trees as children, for rolling updates: Orchards in a namespace, and Forests in none. The test itself is
 * the program that makes trees ready.
 */
import { eventually } from '@chancery/testing';
import type { Place } from '../../examples/testing/started-place.ts';
import type { Condition, KubernetesObject } from '../../operator/index.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';

const API_VERSION = 'fruit.example/v1';

export interface OrchardSpec {
  readonly taste: string;
  readonly trees: readonly string[];
  /** Namespace of the trees of a Forest. */
  readonly place?: string;
}

/** An Orchard or a Forest. */
export interface Orchard extends KubernetesObject {
  readonly spec: OrchardSpec;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface Tree extends KubernetesObject {
  readonly spec: { readonly taste: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

function fruit<T extends KubernetesObject>(
  plural: string,
  kind: string,
  namespaced: boolean,
): Resource<T> {
  return defineResource({ group: 'fruit.example', version: 'v1', plural, kind, namespaced });
}

export const orchards: Resource<Orchard> = fruit('orchards', 'Orchard', true);
export const forests: Resource<Orchard> = fruit('forests', 'Forest', false);
export const trees: Resource<Tree> = fruit('trees', 'Tree', true);

const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** With conditions as a map by type, as server-side apply needs them. */
const STATUS = {
  ...ANYTHING,
  properties: {
    conditions: {
      type: 'array',
      items: { ...ANYTHING, properties: { type: { type: 'string' } }, required: ['type'] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
};

export const FRUIT_DEFINITIONS: readonly KubernetesObject[] = [orchards, forests, trees].map(
  ({ group, version, plural, kind, namespaced }) =>
    ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: namespaced ? 'Namespaced' : 'Cluster',
        names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: [
          {
            name: version,
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: { type: 'object', properties: { spec: ANYTHING, status: STATUS } },
            },
          },
        ],
      },
    }) as KubernetesObject,
);

/** The desired trees of a parent, in the order of its spec. */
export function treesOf({ spec }: Orchard): readonly Pick<Tree, 'metadata' | 'spec'>[] {
  const { taste, place } = spec;
  return spec.trees.map((name) => ({
    metadata: { name, ...(place !== undefined && { namespace: place }) },
    spec: { taste },
  }));
}

/** One parent in a cluster, and its trees. */
export class Planted {
  readonly #place: Place;
  readonly #resource: Resource<Orchard>;
  /** Events of the cluster before the last edit. */
  #from = 0;

  constructor(place: Place, resource: Resource<Orchard>) {
    this.#place = place;
    this.#resource = resource;
  }

  get namespace(): string | undefined {
    return this.#resource.namespaced ? this.#place.namespace : undefined;
  }

  /** Creates the parent, and makes its trees ready. */
  async plant(names: readonly string[]): Promise<void> {
    const { namespace: place } = this.#place;
    const { kind } = this.#resource;
    await this.#place.env.create<Orchard>({
      apiVersion: API_VERSION,
      kind,
      metadata: { name: 'north', ...(this.namespace && { namespace: this.namespace }) },
      spec: { taste: 'sweet', trees: names, ...(this.namespace === undefined && { place }) },
    });
    await eventually(async () => (await this.tastes()).length === names.length, PATIENT);
    for (const name of names) await this.makeReady(name);
    await this.updatedIs('OnLatestRevision');
  }

  async edit(spec: Partial<OrchardSpec>): Promise<void> {
    this.#from = this.#place.env.events.total;
    const { kind } = this.#resource;
    await this.#place.env.patch(API_VERSION, kind, this.namespace, 'north', { spec });
  }

  parent(): Promise<Orchard | undefined> {
    return this.#place.env.get(this.#resource, this.namespace, 'north');
  }

  tree(name: string): Promise<Tree | undefined> {
    return this.#place.env.get(trees, this.#place.namespace, name);
  }

  /** The taste of each tree that is there, by name. */
  async tastes(): Promise<readonly string[]> {
    const all = await this.#place.env.list(trees, this.#place.namespace);
    return all.map(({ metadata, spec }) => `${metadata.name} ${spec.taste}`).sort();
  }

  async makeReady(name: string, status: 'True' | 'False' = 'True'): Promise<void> {
    const tree = await this.tree(name);
    const observedGeneration = tree?.metadata.generation;
    const wanted = { observedGeneration, conditions: [{ type: 'Ready', status }] };
    const { env, namespace } = this.#place;
    await env.patch(API_VERSION, 'Tree', namespace, name, { status: wanted }, 'status');
  }

  /** Resolves when the condition `Updated` has this reason, and names this in its message. */
  async updatedIs(reason: string, message: string = ''): Promise<void> {
    await eventually(async () => {
      const found = (await this.parent())?.status?.conditions?.find(
        ({ type }) => type === 'Updated',
      );
      return found?.reason === reason && found.message.includes(message);
    }, PATIENT);
  }

  /** The states of the condition `Updated` since the last edit, without repetitions. */
  updates(): readonly string[] {
    const { group, plural } = this.#resource;
    const states = this.#events({ resource: `${plural}.${group}` })
      .flatMap(({ object }) => (object as Orchard).status?.conditions ?? [])
      .filter(({ type }) => type === 'Updated')
      .map(({ status, reason }) => `${status} ${reason}`);
    const changed = states.filter((state, at) => state !== states[at - 1]);
    return changed[0] === 'True OnLatestRevision' ? changed.slice(1) : changed;
  }

  /** The largest number of trees that were away, or not ready, at one time since the last edit. */
  mostAway(): number {
    const away = new Set<string>();
    let most = 0;
    for (const { type, name, object } of this.#events({ resource: 'trees.fruit.example' })) {
      if (type !== 'DELETED' && isReady(object as Tree)) away.delete(name);
      else away.add(name);
      most = Math.max(most, away.size);
    }
    return most;
  }

  #events(filter: { readonly resource: string }) {
    const { events } = this.#place.env;
    const before = events.of().slice(0, this.#from - (events.total - events.of().length));
    const skipped = before.filter(({ resource }) => resource === filter.resource).length;
    return events.of(filter).slice(skipped);
  }
}

function isReady({ metadata, status }: Tree): boolean {
  const isSeen = status?.observedGeneration === metadata.generation;
  return isSeen && status?.conditions?.some((each) => each.status === 'True') === true;
}

/** For `eventually`, on a machine that others use, too. */
const PATIENT = { timeoutMs: 30_000 };

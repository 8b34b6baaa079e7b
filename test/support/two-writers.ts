/**
 * Random objects that two managers write in random order: children and a status of our controller, and another writer by
 * update, patch and apply. Each field is a slot with a path, and a model says after each step who owns which slot. It
 * runs against any API server.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import type { Desired } from '../../operator/controller/reconciler.ts';
import * as resources from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { apiVersionOf, type Resource } from '../../operator/model/resource.ts';

type Json = Record<string, unknown>;

/** A field, and the values that it can have. */
export interface Slot {
  /** `spec.ports[port=80].name`: members of maps, and items of lists by a field of theirs. */
  readonly path: string;
  readonly ours: readonly unknown[];
  readonly theirs: readonly unknown[];
  /** Where a written value is shown, if under another path, and in which form. */
  readonly shownAt?: string;
  readonly shownAs?: (value: unknown) => unknown;
  /** Another name of the field, which the server fills with the same value. */
  readonly mirror?: string;
}

/** A kind, the part that our controller always states, and the fields that come and go. */
export interface Subject {
  readonly resource: Resource;
  readonly always: object;
  readonly slots: readonly Slot[];
}

const words = (path: string, more: Partial<Slot> = {}): Slot => ({
  path,
  ours: ['o1', 'o2'],
  theirs: ['t1', 't2'],
  ...more,
});

const METADATA: readonly Slot[] = [
  words('metadata.labels.l'),
  words('metadata.labels.m'),
  words('metadata.annotations.a'),
];

const base64 = (value: unknown): string => Buffer.from(String(value)).toString('base64');

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'a', image: 'a' }] },
};
const workload = { selector: { matchLabels: { app: 'a' } }, template };
const podSlots = (spec: string): readonly Slot[] => [
  words(`${spec}.containers[name=a].env[name=A].value`),
  words(`${spec}.containers[name=a].env[name=B].value`),
  words(`${spec}.containers[name=a].image`),
  { path: `${spec}.containers[name=a].args`, ours: [['o'], ['o', 'p']], theirs: [['t']] },
  words(`${spec}.serviceAccount`, {
    shownAt: `${spec}.serviceAccountName`,
    mirror: `${spec}.serviceAccount`,
  }),
  words(`${spec}.nodeSelector.n`),
  { path: `${spec}.hostAliases[ip=10.0.0.1].hostnames`, ours: [['o']], theirs: [['t']] },
];

const subject = (resource: unknown, always: object, slots: readonly Slot[]): Subject => ({
  resource: resource as Resource,
  always,
  slots: [...METADATA, ...slots],
});

const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const withVerb = (verb: string): object => ({ ...rule, verbs: [verb] });
const ingress = (host: string): object => ({
  host,
  http: {
    paths: [
      { path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 80 } } } },
    ],
  },
});

/** Eighteen built-in kinds. */
export const BUILT_IN: readonly Subject[] = [
  subject(resources.configMaps, {}, [words('data.a'), words('data.b'), words('data.c')]),
  subject(resources.secrets, {}, [
    words('stringData.a', { shownAt: 'data.a', shownAs: base64 }),
    words('stringData.b', { shownAt: 'data.b', shownAs: base64 }),
    { path: 'data.c', ours: [base64('o')], theirs: [base64('t')] },
  ]),
  subject(resources.services, { spec: { ports: [{ name: 'a', port: 80, targetPort: 80 }] } }, [
    words('spec.selector.a'),
    words('spec.ports[port=80].name'),
    { path: 'spec.ports[port=80].targetPort', ours: [81, 82], theirs: [83] },
  ]),
  subject(resources.serviceAccounts, {}, [
    { path: 'imagePullSecrets', ours: [[{ name: 'o' }]], theirs: [[{ name: 't' }]] },
    { path: 'automountServiceAccountToken', ours: [true], theirs: [false] },
  ]),
  subject(resources.deployments, { spec: workload }, podSlots('spec.template.spec')),
  subject(resources.daemonSets, { spec: workload }, podSlots('spec.template.spec')),
  subject(
    resources.statefulSets,
    { spec: { ...workload, serviceName: 'a' } },
    podSlots('spec.template.spec'),
  ),
  subject(resources.replicaSets, { spec: workload }, [
    { path: 'spec.replicas', ours: [2, 3], theirs: [4] },
  ]),
  subject(resources.podTemplates, { template }, podSlots('template.spec')),
  subject(
    resources.cronJobs,
    {
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
        },
      },
    },
    [
      ...podSlots('spec.jobTemplate.spec.template.spec'),
      { path: 'spec.concurrencyPolicy', ours: ['Forbid'], theirs: ['Replace'] },
    ],
  ),
  subject(resources.roles, { rules: [rule] }, [
    {
      path: 'rules',
      ours: [[withVerb('list')], [withVerb('watch')]],
      theirs: [[withVerb('patch')]],
    },
  ]),
  subject(
    resources.roleBindings,
    { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' } },
    [
      {
        path: 'subjects',
        ours: [[{ kind: 'ServiceAccount', name: 'o', namespace: 'default' }]],
        theirs: [[{ kind: 'ServiceAccount', name: 't', namespace: 'default' }]],
      },
    ],
  ),
  subject(resources.ingresses, { spec: { rules: [ingress('a.example')] } }, [
    { path: 'spec.rules', ours: [[ingress('o.example')]], theirs: [[ingress('t.example')]] },
    words('spec.ingressClassName'),
  ]),
  subject(resources.networkPolicies, { spec: { podSelector: {} } }, [
    { path: 'spec.policyTypes', ours: [['Egress']], theirs: [['Ingress', 'Egress']] },
  ]),
  subject(resources.podDisruptionBudgets, { spec: { selector: { matchLabels: { a: 'b' } } } }, [
    { path: 'spec.minAvailable', ours: [1, 2], theirs: [3] },
  ]),
  subject(resources.resourceQuotas, {}, [
    { path: 'spec.hard.pods', ours: ['100k', '200k'], theirs: ['300k'] },
    { path: 'spec.hard.services', ours: ['100k', '200k'], theirs: ['300k'] },
  ]),
  subject(resources.limitRanges, { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }, []),
  subject(resources.leases, {}, [
    words('spec.holderIdentity'),
    { path: 'spec.leaseDurationSeconds', ours: [5, 6], theirs: [7] },
  ]),
];

/** What happens to an object. Slots are named by their number. */
export type Step =
  | { readonly does: 'state'; readonly slots: readonly (readonly [number, number])[] }
  | {
      readonly does: 'other';
      readonly by: 'update' | 'patch' | 'apply';
      readonly slots: readonly (readonly [number, number])[];
    }
  | { readonly does: 'other removes'; readonly slot: number }
  | { readonly does: 'restart' };

const some = fc.uniqueArray(fc.tuple(fc.nat(11), fc.nat(2)), {
  maxLength: 5,
  selector: ([slot]) => slot,
});

/** Steps for a subject of any number of slots. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ does: fc.constant('state' as const), slots: some }) },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant('other' as const),
        by: fc.constantFrom('update' as const, 'patch' as const, 'apply' as const),
        slots: some,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constant('other removes' as const), slot: fc.nat(11) }),
    },
    { weight: 1, arbitrary: fc.constant({ does: 'restart' } as const) },
  ),
  { minLength: 2, maxLength: 8 },
);

/** Our controller and the other writer, as a run needs them. */
export interface Writers {
  readonly namespace: string;
  /** The other writer. */
  readonly other: Client;
  /** States the object, as one reconcile does. */
  readonly state: (resource: Resource, stated: Desired<KubernetesObject>) => Promise<unknown>;
  /** Our process starts anew. */
  readonly restart: () => void;
  /** Number of writes that our controller has sent. */
  readonly writes: () => number;
  /** The subresource that the writers write; undefined for the object itself. */
  readonly subresource?: 'status';
}

/** Who wrote a slot last, and what. */
interface Owned {
  readonly by: 'us' | 'other';
  readonly value: unknown;
}

/**
 * Writes one object as the steps say. After each step: what was stated is there, what is no longer stated is gone, what
 * others wrote stays, and stating the same again writes nothing.
 */
export async function writeByTwo(
  { resource, always, slots }: Subject,
  name: string,
  todo: readonly Step[],
  writers: Writers,
): Promise<void> {
  const { namespace, other, state, restart, writes, subresource } = writers;
  const model = new Map<Slot, Owned>();
  const target = { name, namespace };
  const read = async () => (await other.get<KubernetesObject>(resource, target)) as unknown as Json;
  const apiVersion = apiVersionOf(resource);
  const draft = (parts: object): Json => ({
    apiVersion,
    kind: resource.kind,
    ...structuredClone(parts),
    metadata: { name, namespace },
  });
  const slotsOf = (chosen: readonly (readonly [number, number])[], whose: 'ours' | 'theirs') =>
    chosen.flatMap(([at, value]): readonly (readonly [Slot, unknown])[] => {
      const slot = slots[at];
      const values = slot?.[whose] ?? [];
      return slot === undefined || values.length === 0
        ? []
        : [[slot, values[value % values.length]]];
    });
  const options = subresource === undefined ? {} : { subresource };

  const check = async (): Promise<void> => {
    const live = await read();
    for (const slot of slots) {
      const owned = model.get(slot);
      const { path, shownAt = path, shownAs = (value: unknown) => value } = slot;
      const shown = valueAt(live, shownAt);
      if (owned !== undefined) expect([path, shown]).toEqual([path, shownAs(owned.value)]);
      else {
        const values = [...slot.ours, ...slot.theirs].map((value) =>
          JSON.stringify(shownAs(value)),
        );
        expect(values, path).not.toContain(JSON.stringify(shown));
      }
    }
  };

  const stated = new Map<Slot, unknown>();
  const stateIt = async (): Promise<void> => {
    const object = draft(always);
    for (const [slot, value] of stated) put(object, slot.path, value);
    await state(resource, object as unknown as Desired<KubernetesObject>);
    for (const [slot, { by }] of model) {
      if (by === 'us' && !stated.has(slot)) model.delete(slot);
    }
    for (const slot of slots) {
      const byDefault = valueAt(always, slot.path);
      const value = stated.get(slot) ?? byDefault;
      if (value !== undefined) model.set(slot, { by: 'us', value });
    }
  };

  await stateIt();
  for (const step of todo) {
    if (step.does === 'restart') restart();
    else if (step.does === 'state') {
      stated.clear();
      for (const [slot, value] of slotsOf(step.slots, 'ours')) stated.set(slot, value);
    } else if (step.does === 'other') {
      for (const [slot, value] of slotsOf(step.slots, 'theirs')) {
        model.set(slot, { by: 'other', value });
      }
      await write(other, step.by);
      await check();
    } else {
      const slot = slots[step.slot];
      if (slot === undefined || model.get(slot)?.by !== 'other') continue;
      const live = await read();
      remove(live, slot.shownAt ?? slot.path);
      if (slot.mirror !== undefined) remove(live, slot.mirror);
      await other.update(resource, live as never, options);
      model.delete(slot);
    }
    await stateIt();
    await check();
    const before = writes();
    await state(resource, objectNow());
    expect(writes(), 'writes of a reconcile that changes nothing').toBe(before);
  }

  function objectNow(): Desired<KubernetesObject> {
    const object = draft(always);
    for (const [slot, value] of stated) put(object, slot.path, value);
    return object as unknown as Desired<KubernetesObject>;
  }

  /** All that the other writer owns, in its way. */
  async function write(client: Client, by: 'update' | 'patch' | 'apply'): Promise<void> {
    const owned = [...model].filter(([, each]) => each.by === 'other');
    if (by === 'apply') {
      const object = draft({});
      for (const [slot, { value }] of owned) putShown(object, slot, value);
      await client.apply(resource, object as never, { ...options, force: true });
      return;
    }
    const live = await read();
    const changed = structuredClone(live);
    for (const [slot, { value }] of owned) putShown(changed, slot, value);
    if (by === 'update') await client.update(resource, changed as never, options);
    else {
      const { metadata, ...rest } = changed;
      const { labels, annotations, resourceVersion } = metadata as Json;
      const body = { ...rest, metadata: { labels, annotations, resourceVersion } };
      await client.patch(resource, target, { type: 'merge', body }, options);
    }
  }
}

/** As a writer sets the field that reads the object before. */
function putShown(object: Json, slot: Slot, value: unknown): void {
  const { path, shownAt = path, shownAs = (each: unknown) => each, mirror } = slot;
  put(object, shownAt, shownAs(value));
  if (mirror !== undefined) put(object, mirror, shownAs(value));
}

/** `a.b[name=x].c` as `['a', 'b', ['name', 'x'], 'c']`. */
function partsOf(path: string): readonly (string | readonly [string, string])[] {
  return path.split(/\.(?![^[]*\])|(?=\[)/).map((part) => {
    const [, key, value] = /^\[(\w+)=(.*)\]$/.exec(part) ?? [];
    return key === undefined ? part : ([key, value ?? ''] as const);
  });
}

function valueAt(object: unknown, path: string): unknown {
  return partsOf(path).reduce<unknown>((at, part) => {
    if (typeof part === 'string') return (at as Json | undefined)?.[part];
    return itemOf(at, part);
  }, object);
}

function itemOf(list: unknown, [key, value]: readonly [string, string]): Json | undefined {
  if (!Array.isArray(list)) return undefined;
  return (list as readonly Json[]).find((item) => String(item[key]) === value);
}

/** Sets the value, and makes what is missing on the way. */
function put(object: Json, path: string, value: unknown): void {
  const parts = partsOf(path);
  let at: unknown = object;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (typeof part === 'string') {
      const holder = at as Json;
      if (isLast) holder[part] = structuredClone(value);
      else holder[part] ??= typeof parts[index + 1] === 'string' ? {} : [];
      at = holder[part];
    } else {
      const list = at as Json[];
      const known = itemOf(list, part);
      const item = known ?? { [part[0]]: /^\d+$/.test(part[1]) ? Number(part[1]) : part[1] };
      if (known === undefined) list.push(item);
      at = item;
    }
  }
}

function remove(object: Json, path: string): void {
  const parts = partsOf(path);
  const holder = valueAtParts(object, parts.slice(0, -1)) as Json | undefined;
  const last = parts.at(-1);
  if (holder !== undefined && typeof last === 'string') delete holder[last];
}

function valueAtParts(object: Json, parts: ReturnType<typeof partsOf>): unknown {
  return parts.reduce<unknown>(
    (at, part) => (typeof part === 'string' ? (at as Json | undefined)?.[part] : itemOf(at, part)),
    object,
  );
}

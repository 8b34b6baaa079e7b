/**
 * Random objects that two managers write in random order: children and a status of our controller, and another writer by
 * update, patch and apply. Each field is a slot with a path, and a model says after each step who owns which slot. It
 * runs against any API server.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Client } from '../../../operator/client/client.ts';
import { mergePatchOf } from '../../../operator/controller/children/json-difference.ts';
import type { Desired } from '../../../operator/controller/reconciler.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { apiVersionOf, type Resource } from '../../../operator/model/resource.ts';
import {
  itemPathOf,
  type Json,
  put,
  putShown,
  remove,
  type Slot,
  type Subject,
  valueAt,
} from './slots.ts';

/** What happens to an object. Slots are named by their number, which counts again from the first one after the last. */
export type Step =
  | { readonly does: 'state'; readonly slots: readonly (readonly [number, number])[] }
  | {
      readonly does: 'other';
      readonly by: 'update' | 'patch' | 'apply';
      readonly slots: readonly (readonly [number, number])[];
    }
  | { readonly does: 'other removes'; readonly slot: number }
  | { readonly does: 'restart' };

const ANY_SLOT = fc.nat(99);
const some = fc.array(fc.tuple(ANY_SLOT, fc.nat(2)), { maxLength: 5 });

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
      arbitrary: fc.record({ does: fc.constant('other removes' as const), slot: ANY_SLOT }),
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
  /** Items of lists of which the other writer has, or had, a part: it may still own their keys. */
  const shared = new Set<string | undefined>();
  const slotsOf = (chosen: readonly (readonly [number, number])[], whose: 'ours' | 'theirs') =>
    chosen.flatMap(([at, value]): readonly (readonly [Slot, unknown])[] => {
      const slot = slots[at % slots.length];
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
      else if (shown !== undefined) {
        const values = [...slot.ours, ...slot.theirs].map((value) =>
          JSON.stringify(shownAs(value)),
        );
        expect(values, path).not.toContain(JSON.stringify(shown));
      }
    }
    const stays = new Set([...shared, ...[...model.keys()].map(itemPathOf)]);
    for (const item of new Set(slots.map(itemPathOf))) {
      if (item === undefined || stays.has(item) || valueAt(always, item) !== undefined) continue;
      expect([item, valueAt(live, item)]).toEqual([item, undefined]);
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
      const value = stated.has(slot) ? stated.get(slot) : valueAt(always, slot.path);
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
        shared.add(itemPathOf(slot));
      }
      await write(other, step.by);
      await check();
    } else {
      const slot = slots[step.slot % slots.length];
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
      const { resourceVersion } = live.metadata as Json;
      // By difference: a merge patch that only names the new value would keep the rest of a map.
      const { metadata, ...rest } = mergePatchOf(live, changed) ?? {};
      const body = { ...rest, metadata: { ...(metadata as Json), resourceVersion } };
      await client.patch(resource, target, { type: 'merge', body }, options);
    }
  }
}

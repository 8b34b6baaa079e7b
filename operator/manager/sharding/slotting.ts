import type { Slotting } from '../../client/sharded-source.ts';
import { controlledWritesOf } from '../../controller/controlled-writes.ts';
import type { Controller } from '../../controller/controller.ts';
import { owners } from '../../controller/run/wakes/mapped-keys.ts';
import type { Source } from '../../controller/source.ts';
import { type KubernetesObject, splitKey } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { SLOTS, slotOf } from '../../model/shard/field-hash.ts';
import { shardSelector } from '../../model/shard/shard-selector.ts';
import type { ShardField } from './sharding.ts';

/**
 * A named way to divide objects into slots. Two slottings with equal names divide objects in the same way.
 */
export interface NamedSlotting extends Slotting {
  readonly name: string;
}

/**
 * How a source of `controller` is divided into slots. Undefined for sources that every replica needs as a
 * whole, because mappings and reconcilers read their objects.
 */
export function slottingOf(
  controller: Controller,
  source: Source,
  by: ShardField,
): NamedSlotting | undefined {
  const owned = controller.owns.find((each) => each.source === source);
  if (source !== controller.for && owned === undefined) return undefined;
  if (by === 'namespace') return BY_NAMESPACE;
  if (source === controller.for) return BY_UID;
  return byOwner(controller.for.resource, source, {
    anyOwner: owned?.anyOwner ?? false,
    adopts: adoptsOf(controller, source),
  });
}

/**
 * True if the controller may adopt objects that have no controlling owner. The slot label of an adopted
 * object may come from a previous parent, so it is meaningless.
 */
function adoptsOf(controller: Controller, { resource }: Source): boolean {
  return controlledWritesOf(controller).children.some(
    (each) => each.adopts !== undefined && resourceName(each.resource) === resourceName(resource),
  );
}

/** Label of a child. Its value is the slot of the child's owner, 0 to 63. */
const SLOT_LABEL = 'chancery.dev/slot';

/** The labels by which the children of an object are divided. Undefined when another field divides them. */
export function childLabelsBy(
  by: ShardField,
): ((owner: KubernetesObject) => Readonly<Record<string, string>> | undefined) | undefined {
  if (by !== 'uid') return undefined;
  return ({ metadata: { uid } }) => (uid ? { [SLOT_LABEL]: String(slotOf(uid)) } : undefined);
}

const BY_NAMESPACE: NamedSlotting = {
  name: 'namespace',
  slotsOf: ({ key }) => [slotOf(splitKey(key).namespace ?? '')],
  selectors: (slots) => ({ shardSelector: shardSelector('object.metadata.namespace', slots) }),
};

const BY_UID: NamedSlotting = {
  name: 'uid',
  slotsOf: ({ uid }) => [slotOf(uid)],
  selectors: (slots) => ({ shardSelector: shardSelector('object.metadata.uid', slots) }),
};

/**
 * Children are in the slots of their owners. An object without an owner of this kind is cached on every
 * replica, because a child may need its name. If an object lacks the label, the API server sends it to every
 * replica.
 */
function byOwner(
  owner: Resource,
  { labelSelector }: Source,
  { anyOwner, adopts }: { readonly anyOwner: boolean; readonly adopts: boolean },
): NamedSlotting {
  return {
    name: `owner ${resourceName(owner)} ${anyOwner} ${adopts}`,
    slotsOf: ({ metadata }) => owners(metadata, owner, anyOwner).map(({ uid }) => slotOf(uid)),
    selectors: (slots) => {
      const others = Array.from({ length: SLOTS }, (_, slot) => slot).filter(
        (slot) => !slots.has(slot),
      );
      // The label can contain the slot of only one owner.
      if (anyOwner || adopts || others.length === 0) return {};
      const notOthers = `${SLOT_LABEL} notin (${others.join(',')})`;
      return { labelSelector: labelSelector ? `${labelSelector},${notOthers}` : notOthers };
    },
  };
}

import type { Client } from '../../client/client.ts';
import type { Clock } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import { type KubernetesObject, keyOf } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { Store } from '../../store/store.ts';
import type { AppliedMemory } from '../children/applied-memory.ts';
import { applyOwned, deleteOwned, type OwnerOfChildren } from '../children/apply-owned.ts';
import { statusWriter } from '../children/write-status.ts';
import type { Controller } from '../controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { ReconcileContext } from '../reconciler.ts';
import { isSameResource, type Source } from '../source.ts';

interface ContextMethodsOptions {
  readonly controller: Controller;
  /** The object under reconcile, as the cache had it when the attempt began. */
  readonly object: KubernetesObject | undefined;
  /** The client of the attempt. */
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** All attempts of the controller share it. */
  readonly memory: AppliedMemory;
  /** The cache of a source, as the reconciler sees it. */
  readonly store: (source: Source) => Store<KubernetesObject>;
  /** Called when another object keeps a child from being created or changed. */
  readonly refused: NonNullable<OwnerOfChildren['refused']>;
}

/** The methods of a `ReconcileContext` that are about the reconciled object. */
export function contextMethods({
  controller,
  object,
  client,
  clock,
  events,
  memory,
  store,
  refused,
}: ContextMethodsOptions): Pick<
  ReconcileContext,
  'applyOwned' | 'deleteOwned' | 'setStatus' | 'event'
> {
  const { resource } = controller.for;
  const reconciled = (verb: string): KubernetesObject => {
    if (object !== undefined) return object;
    throw new OperatorError(`${verb} needs the reconciled object, and it is gone`, {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { controller: controller.name },
    });
  };
  /** Kept for the attempt: it remembers the status that it wrote last. */
  let writeStatus: ReturnType<typeof statusWriter> | undefined;
  return {
    async applyOwned(childResource, child, options) {
      const owner = reconciled('applyOwned');
      const known = knownChild(controller, client, store);
      // The field manager of a controller's client is its name.
      const fieldManager = controller.name;
      const given = { owner, ownerResource: resource, client, fieldManager, memory, known };
      return applyOwned({ ...given, refused }, childResource, child, options);
    },
    async deleteOwned(childResource, child, options) {
      const known = knownChild(controller, client, store);
      return deleteOwned(
        { owner: reconciled('deleteOwned'), client, known },
        childResource,
        child,
        options,
      );
    },
    async setStatus(status) {
      const given = { object: reconciled('setStatus'), resource, client, clock, memory };
      writeStatus ??= statusWriter(given);
      return writeStatus(status);
    },
    event(type, reason, note, action = 'Reconcile') {
      events.record({ regarding: reconciled('event'), type, reason, action, note });
    },
  };
}

/** Reads a child from a cache of the controller's `owns`; live when none has whole objects of its kind. */
function knownChild(
  { owns }: Controller,
  client: Client,
  store: ContextMethodsOptions['store'],
): OwnerOfChildren['known'] {
  return async <C extends KubernetesObject>(resource: Resource<C>, child: KubernetesObject) => {
    const caches = owns
      .map(({ source }) => source)
      .filter((source) => isSameResource(source.resource, resource) && !source.metadataOnly)
      .map(store)
      .filter(({ synced }) => synced);
    const { name, namespace } = child.metadata;
    if (caches.length === 0) return client.find(resource, { name, namespace });
    const cached = caches.map((cache) => cache.get(keyOf(child)));
    return cached.find((found) => found !== undefined) as C | undefined;
  };
}

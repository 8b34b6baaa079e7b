import type { Client } from '../client/client.ts';
import type { Clock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { setCondition } from '../model/condition.ts';
import type { KubernetesObject } from '../model/object.ts';
import { apiVersionOf } from '../model/resource.ts';
import type { Controller } from './controller.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { ReconcileContext } from './reconciler.ts';

export interface ObjectVerbsOptions {
  readonly controller: Controller;
  /** The object under reconcile, as the cache had it when the attempt began. */
  readonly object: KubernetesObject | undefined;
  /** That of the attempt. */
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** What a reconciler does about the one object that it was called for. */
export function objectVerbs({
  controller,
  object,
  client,
  clock,
  events,
}: ObjectVerbsOptions): Pick<ReconcileContext, 'applyOwned' | 'setStatus' | 'event'> {
  const { resource } = controller.for;
  const reconciled = (verb: string): KubernetesObject => {
    if (object !== undefined) return object;
    throw new OperatorError(`${verb} needs the reconciled object, and it is gone`, {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { controller: controller.name },
    });
  };
  return {
    async applyOwned(childResource, child, { force } = {}) {
      const owner = reconciled('applyOwned');
      const reference = {
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        name: owner.metadata.name,
        uid: owner.metadata.uid ?? '',
        controller: true,
        blockOwnerDeletion: true,
      };
      const { namespace } = owner.metadata;
      const body = {
        ...child,
        apiVersion: apiVersionOf(childResource),
        kind: childResource.kind,
        metadata: {
          ...(childResource.namespaced && namespace !== undefined && { namespace }),
          ...child.metadata,
          ownerReferences: [reference],
        },
      };
      return client.apply(childResource, body as never, force === undefined ? {} : { force });
    },
    async setStatus({ conditions = [], ...status }) {
      const owner = reconciled('setStatus');
      const before = (owner as { status?: { conditions?: [] } }).status?.conditions ?? [];
      const { name, namespace, uid, generation } = owner.metadata;
      const observed = generation === undefined ? {} : { observedGeneration: generation };
      let all: Parameters<typeof setCondition>[0] = before;
      for (const wanted of conditions) {
        all = setCondition(all, { ...wanted, ...observed }, clock.now());
      }
      const body = {
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        metadata: { name, ...(namespace && { namespace }), ...(uid && { uid }) },
        status: { ...status, ...observed, conditions: all },
      };
      await client.apply(resource, body, { subresource: 'status' });
    },
    event(type, reason, note, action = 'Reconcile') {
      events.record({ regarding: reconciled('event'), type, reason, action, note });
    },
  };
}

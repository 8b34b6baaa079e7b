/**
 * The finalizer is removed when the delete of what it guards was accepted, not when it is gone. After
 * vmware-labs/reconciler-runtime, pull request 304.
 */
import { type Controller, controller, type Finalizer, isAlreadyExists, isNotFound } from 'chancery';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { find, GROUP, objectOf, remove } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const tenants = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Tenant',
  spec: Type.Object({}),
});
const machines = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Machine',
  spec: Type.Object({}),
});

/** Ends machines. It still needs the Tenant of a machine for that. */
function cloud(): Controller {
  return controller({
    name: 'cloud',
    for: machines,
    finalizer: { name: `${GROUP}/power-off`, finalize() {} },
    reconcile() {},
  });
}

type Finalize = Finalizer<ObjectOf<typeof tenants>>['finalize'];

function tenant(finalize: Finalize): Controller {
  return controller({
    name: 'tenant',
    for: tenants,
    permissions: [{ resource: machines, verbs: ['get', 'create', 'delete'] }],
    finalizer: { name: `${GROUP}/machines`, finalize },
    async reconcile({ metadata: { name } }, { client }) {
      try {
        await client.create(machines, objectOf(machines, { name }, { spec: {} }));
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    },
  });
}

const deleteMachine: Finalize = async ({ metadata }, { client }) => {
  try {
    await client.delete(machines, metadata);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};

const deleteAndWait: Finalize = async (object, context) => {
  await deleteMachine(object, context);
  if (await context.client.find(machines, object.metadata)) return { requeueAfterMs: 1_000 };
  return undefined;
};

export const finalizerTooEarly: Fault = {
  name: 'finalizer removed too early',
  source: 'vmware-labs/reconciler-runtime#304',
  scenario: {
    objects: [tenants.definition, machines.definition],
    changes: [
      {
        name: 'Tenant demo is created',
        apply: (cluster) => void cluster.create(objectOf(tenants, { name: 'demo' }, { spec: {} })),
      },
      { name: 'Tenant demo is deleted', apply: (cluster) => remove(cluster, tenants, 'demo') },
    ],
    atEachStep: [
      {
        name: 'a machine has its Tenant until it is gone',
        check: (cluster) =>
          find(cluster, machines, 'demo') !== undefined &&
          find(cluster, tenants, 'demo') === undefined
            ? 'the Tenant is gone, and its machine is there'
            : undefined,
      },
    ],
  },
  faulty: () => [cloud(), tenant(deleteMachine)],
  corrected: () => [cloud(), tenant(deleteAndWait)],
  breaks: 'a machine has its Tenant until it is gone',
  deviations: 1,
};

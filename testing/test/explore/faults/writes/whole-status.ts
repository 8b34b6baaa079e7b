/**
 * The status is written as a whole, with the conditions of others as they were read. After stacklok/toolhive, issue 5511:
 * a writer that replaces all conditions takes back what their owner has set since.
 */
import { type Controller, controller, type ReconcileContext, rfc3339 } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { find, GROUP, objectOf, patch } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const gateways = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Gateway',
  spec: Type.Object({ port: Type.Integer() }),
  status: Type.Object({}),
});
type Gateway = ObjectOf<typeof gateways>;

type WriteReady = (
  gateway: Gateway,
  port: number,
  context: ReconcileContext<Gateway>,
) => Promise<unknown>;

function gateway(writeReady: WriteReady): Controller {
  return controller({
    name: 'gateway',
    for: gateways,
    owns: [configMaps],
    permissions: [{ resource: gateways, subresource: 'status', verbs: ['patch'] }],
    async reconcile(gateway, context) {
      const { port } = gateway.spec;
      const { name } = gateway.metadata;
      const data = { port: String(port) };
      await context.applyOwned(configMaps, { metadata: { name }, data });
      await writeReady(gateway, port, context);
    },
  });
}

const READY = { type: 'Ready', status: 'True', reason: 'Configured' } as const;

const replaceAll: WriteReady = async ({ metadata, status }, port, { client, clock }) => {
  const message = `listens on ${port}`;
  const { conditions = [] } = status ?? {};
  if (conditions.some((condition) => condition.message === message)) return;
  const ready = { ...READY, message, lastTransitionTime: rfc3339(clock.now()) };
  const others = conditions.filter(({ type }) => type !== 'Ready');
  const body = { status: { conditions: [...others, ready] } };
  await client.patch(gateways, metadata, { type: 'merge', body }, { subresource: 'status' });
};

const writeOwn: WriteReady = (_gateway, port, { setStatus }) =>
  setStatus({ conditions: [{ ...READY, message: `listens on ${port}` }] });

export const wholeStatus: Fault = {
  name: 'status written as a whole',
  source: 'stacklok/toolhive#5511',
  scenario: {
    objects: [gateways.definition, objectOf(gateways, { name: 'demo' }, { spec: { port: 80 } })],
    changes: [
      {
        name: 'the port of the Gateway changes',
        apply: (cluster) => patch(cluster, gateways, 'demo', { spec: { port: 443 } }),
      },
      {
        name: 'another controller accepts the Gateway',
        apply: (cluster) => {
          const { conditions = [] } = find(cluster, gateways, 'demo')?.status ?? {};
          const accepted = {
            ...{ type: 'Accepted', status: 'True', reason: 'Valid', message: '' },
            lastTransitionTime: '2026-01-01T00:00:00Z',
          };
          const all = [...conditions, accepted];
          patch(cluster, gateways, 'demo', { status: { conditions: all } }, 'status');
          cluster.create(objectOf(configMaps, { name: 'accepted' }, {}));
        },
      },
    ],
    atRest: [
      {
        name: 'the condition of another controller stays',
        check: (cluster) => {
          if (find(cluster, configMaps, 'accepted') === undefined) return undefined;
          const { conditions = [] } = find(cluster, gateways, 'demo')?.status ?? {};
          return conditions.some(({ type }) => type === 'Accepted')
            ? undefined
            : 'the condition Accepted is lost';
        },
      },
    ],
  },
  faulty: () => [gateway(replaceAll)],
  corrected: () => [gateway(writeOwn)],
  breaks: 'the condition of another controller stays',
  deviations: 1,
};

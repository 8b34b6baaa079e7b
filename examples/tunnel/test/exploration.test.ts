/** A Service that gets a Tunnel, in many orders of events: one host, paid for as long as it is needed. */
import type { Scenario, ScenarioCluster } from '@chancery/testing';
import { expect, test } from 'vitest';
import {
  COLLECTED,
  creates,
  deletes,
  EXPLORING,
  explored,
  patches,
  type Target,
  textsOf,
} from '../../testing/exploring.ts';
import { MANAGE } from '../managed.ts';
import { tunnelOperator } from '../tunnel-operator.ts';
import { clusterProvisioner, PROVIDER, tunnelOfHost } from './cluster-provisioner.ts';

const SERVICE: Target = ['v1', 'Service', 'nginx-1'];
const CLIENT: Target = ['apps/v1', 'Deployment', 'nginx-1-tunnel-client'];

/** The uids of the Tunnels that the hosts are for. */
function hostsIn(cluster: ScenarioCluster): readonly string[] {
  return cluster.list('v1', 'ConfigMap', PROVIDER).flatMap((each) => tunnelOfHost(each) ?? []);
}

const manages = (value: string) => ({ metadata: { annotations: { [MANAGE]: value } } });

const scenario: Scenario = {
  name: 'tunnel',
  objects: [
    textsOf('tunnel/crd.yaml', 'tunnel/sample/*.yaml'),
    `{ apiVersion: v1, kind: Namespace, metadata: { name: ${PROVIDER} } }`,
  ].join('\n---\n'),
  controllers: () => tunnelOperator({ provisioner: clusterProvisioner }),
  workloads: COLLECTED,
  changes: [
    patches(
      'the client is available',
      CLIENT,
      { status: { replicas: 1, availableReplicas: 1 } },
      'status',
    ),
    deletes('a person deletes the client', CLIENT),
    patches('a person wants no Tunnel any more', SERVICE, manages('0')),
    patches('a person wants a Tunnel again', SERVICE, manages('1')),
    deletes('a person deletes the Service', SERVICE),
    creates('a person creates the Service again', SERVICE, {
      spec: { type: 'LoadBalancer', ports: [{ port: 443, protocol: 'TCP' }] },
    }),
  ],
  // Who comes first draws the token.
  ignore: (object) => (object.kind === 'Secret' ? ({ ...object, data: {} } as never) : object),
  atEachStep: [
    {
      name: 'no Tunnel has two hosts',
      check: (cluster) => {
        const hosts = hostsIn(cluster);
        if (new Set(hosts).size < hosts.length) return 'a host is paid for twice';
      },
    },
  ],
  atRest: [
    {
      name: 'a host is paid for as long as its Tunnel is there',
      check: (cluster) => {
        const tunnels = cluster.list('operator.inlets.dev/v1alpha1', 'Tunnel');
        const needed = tunnels.map(({ metadata }) => metadata.uid).sort();
        const hosts = hostsIn(cluster).toSorted();
        if (hosts.join() !== needed.join()) {
          return `there are ${hosts.length} hosts, and ${needed.length} Tunnels`;
        }
      },
    },
  ],
};

test(
  'in every order of events, `tunnel` pays for one host, and only while the host is needed',
  EXPLORING,
  async () => {
    expect(await explored(scenario)).toMatchObject({ scenario: 'tunnel' });
  },
);

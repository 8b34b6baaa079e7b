/** A provider of hosts that an exploration can hold up, and whose answers it can lose: it keeps its list in the cluster. */
import type { KubernetesObject, ReconcileContext } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import type { Call, Host, HostRequest, Provisioner } from '../provisioner/provisioner.ts';

/** Where the hosts are: nothing else is in this namespace. */
export const PROVIDER = 'provider';
const ADDRESS = '203.0.113.1';

/**
 * As strict as those that cost money: each request makes another host. A host is active when it is looked up, so that no
 * time has to pass.
 */
export const clusterProvisioner: Provisioner = {
  async find(uid, call) {
    const [found] = await hostsOf(uid, call);
    return found === undefined
      ? undefined
      : { id: found.metadata.name, status: 'active', ip: ADDRESS };
  },

  async create({ uid }: HostRequest, call): Promise<Host> {
    const made = await clientOf(call).create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: '', generateName: 'host-', namespace: PROVIDER, labels: { tunnel: uid } },
    });
    return { id: made.metadata.name, status: 'provisioning' };
  },

  async remove(uid, call) {
    for (const { metadata } of await hostsOf(uid, call)) {
      await clientOf(call).delete(configMaps, metadata);
    }
  },
};

/** The uid of the Tunnel that a host is marked with. Undefined for what is no host. */
export function tunnelOfHost({ metadata }: KubernetesObject): string | undefined {
  return metadata.namespace === PROVIDER ? metadata.labels?.tunnel : undefined;
}

/** What a call is made with is the context of a reconcile, and more than a provider may know. */
function clientOf(call: Call): ReconcileContext['client'] {
  return (call as ReconcileContext).client;
}

function hostsOf(uid: string, call: Call): Promise<readonly ConfigMap[]> {
  return clientOf(call).list(configMaps, { namespace: PROVIDER, labelSelector: `tunnel=${uid}` });
}

/** The operator with a provider behind HTTP, and what tests ask of both. */

import { eventually } from '@chancery/testing';
import { isConditionTrue } from 'chancery';
import type { Deployment, Service } from 'chancery/kubernetes';
import { onTestFinished } from 'vitest';
import { type Place, startExample } from '../../testing/place.ts';
import { FakeProvisioner } from '../provisioner/fake.ts';
import { webhookProvisioner } from '../provisioner/webhook.ts';
import type { Settings } from '../settings.ts';
import type { Tunnel } from '../tunnel.ts';
import { tunnelOperator } from '../tunnel-operator.ts';
import { ProvisionerServer } from './provisioner-server.ts';

export const API = 'operator.inlets.dev/v1alpha1';

export interface TunnelPlace extends Place {
  /** Behind the HTTP server: what is being paid for. */
  readonly provider: FakeProvisioner;
  readonly server: ProvisionerServer;
  tunnel(name?: string): Promise<Tunnel | undefined>;
  service(name?: string): Promise<Service | undefined>;
  client(name?: string): Promise<Deployment | undefined>;
  /** Addresses that a Service shows. */
  addresses(name?: string): Promise<readonly string[]>;
  /** Resolves to the Tunnel when it is Ready. */
  ready(name?: string): Promise<Tunnel>;
  /** Resolves when the condition Ready has this reason. */
  because(reason: string, name?: string): Promise<Tunnel>;
  /** Says in an annotation whether the Service is to have a Tunnel. */
  manage(value: string): Promise<unknown>;
  /** Resolves when the provider has been asked `more` times: so many passes, whatever came of them. */
  passes(more: number): Promise<void>;
}

/** All is looked at again in so short a time, for tests of what that must not change. */
export const RESTLESS = { settings: { checkMs: 25 } };

export async function startTunnels({
  settings = {},
  stopped = false,
}: {
  readonly settings?: Partial<Settings>;
  readonly stopped?: boolean;
} = {}): Promise<TunnelPlace> {
  const provider = new FakeProvisioner();
  const server = new ProvisionerServer(provider);
  await server.start();
  onTestFinished(() => server.stop());
  const place = await startExample({
    name: 'tunnel',
    controllers: tunnelOperator({
      provisioner: webhookProvisioner(server.url),
      settings: { pollMs: 20, ...settings },
    }),
    manifests: [new URL('../crd.yaml', import.meta.url)],
    stopped,
  });
  const { env, namespace } = place;
  const of = (name: string) => env.get<Service>('v1', 'Service', namespace, name);
  const tunnel = (name = 'nginx-1-tunnel') => env.get<Tunnel>(API, 'Tunnel', namespace, name);
  const own = {
    provider,
    server,
    tunnel,
    service: (name = 'nginx-1') => of(name),
    client: (name = 'nginx-1-tunnel-client') =>
      env.get<Deployment>('apps/v1', 'Deployment', namespace, name),
    addresses: async (name = 'nginx-1') => {
      const service = await of(name);
      return (service?.status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip);
    },
    ready: (name?: string) =>
      eventually(async () => {
        const live = await tunnel(name);
        return isConditionTrue(live?.status?.conditions, 'Ready') ? live : undefined;
      }),
    because: (reason: string, name?: string) =>
      eventually(async () => {
        const live = await tunnel(name);
        const ready = live?.status?.conditions?.find(({ type }) => type === 'Ready');
        return ready?.reason === reason ? live : undefined;
      }),
    manage: (value: string) => {
      const metadata = { annotations: { 'operator.inlets.dev/manage': value } };
      return env.patch('v1', 'Service', namespace, 'nginx-1', { metadata });
    },
    passes: async (more: number) => {
      const before = provider.lookups;
      await eventually(() => provider.lookups >= before + more);
    },
  };
  return Object.assign(place, own);
}

/** A Service of type LoadBalancer, unless it says something else. */
export function service(name: string, fields: object = {}, metadata: object = {}): Service {
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' as const }];
  const spec = { type: 'LoadBalancer' as const, selector: { app: name }, ports, ...fields };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, ...metadata }, spec };
}

export function tunnelOf(name: string, spec: object) {
  return { apiVersion: API, kind: 'Tunnel', metadata: { name }, spec };
}

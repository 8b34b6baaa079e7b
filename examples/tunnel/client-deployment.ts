import { childName, type Desired } from 'chancery';
import type { Deployment, Service } from 'chancery/kubernetes';
import type { Settings } from './settings.ts';
import type { Tunnel } from './tunnel.ts';

/** Where a host listens for its client. */
export const CONTROL_PORT = 8123;

const PORTS = 'inlets.dev/ports';

/** Kubernetes adds 11 characters for the name of a ReplicaSet, which has 253. */
export const clientNameFor = (tunnel: string): string =>
  childName(tunnel, { suffix: 'client', maxLength: 242 });

/** The ports that a tunnel carries: those of TCP, each once. */
export function tcpPorts({ spec }: Service): readonly number[] {
  const ports = (spec?.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  return [...new Set(ports.map(({ port }) => port))];
}

/** The ports that it does not carry, for people: `53/UDP`. */
export function otherPorts({ spec }: Service): readonly string[] {
  const ports = (spec?.ports ?? []).filter(({ protocol = 'TCP' }) => protocol !== 'TCP');
  return ports.map(({ port, protocol }) => `${port}/${protocol}`);
}

export interface ClientFacts {
  readonly hostIP: string;
  readonly ports: readonly number[];
  /** The Secret with the token, in the Tunnel's namespace. */
  readonly tokenSecret: string;
}

/** The client that joins the host and the Service. */
export function clientDeployment(
  { metadata: { name: tunnelName }, spec }: Tunnel,
  { hostIP, ports, tokenSecret }: ClientFacts,
  { clientImage, maxClientMemory, licenseSecret }: Settings,
): Desired<Deployment> {
  const name = clientNameFor(tunnelName);
  const instance = childName(tunnelName, { suffix: 'client', form: 'label-value' });
  const labels = { 'app.kubernetes.io/name': instance };
  const host = hostIP.includes(':') ? `[${hostIP}]` : hostIP;
  const list = ports.join(',');
  return {
    metadata: { name, annotations: { [PORTS]: list } },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'inlets-client',
              image: clientImage,
              imagePullPolicy: 'IfNotPresent',
              command: ['inlets-pro'],
              args: [
                'tcp',
                'client',
                `--url=wss://${host}:${CONTROL_PORT}/connect`,
                '--token-file=/var/inlets/auth-token/token',
                `--upstream=${spec.serviceRef.name}`,
                `--ports=${list}`,
                '--license-file=/var/inlets/license/license',
              ],
              resources: {
                limits: { memory: maxClientMemory },
                requests: { cpu: '25m', memory: '25Mi' },
              },
              volumeMounts: [
                { name: 'auth-token-volume', mountPath: '/var/inlets/auth-token', readOnly: true },
                { name: 'license-volume', mountPath: '/var/inlets/license', readOnly: true },
              ],
            },
          ],
          volumes: [
            { name: 'auth-token-volume', secret: { secretName: tokenSecret } },
            {
              name: 'license-volume',
              secret: { secretName: spec.licenseRef?.name ?? licenseSecret },
            },
          ],
        },
      },
    },
  };
}

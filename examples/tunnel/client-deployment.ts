import { createHash } from 'node:crypto';
import type { Desired } from 'chancery';
import type { Deployment, Service } from 'chancery/kubernetes';
import type { Settings } from './settings.ts';
import type { Tunnel } from './tunnel.ts';

/** Where a host listens for its client. */
export const CONTROL_PORT = 8123;

const PORTS = 'inlets.dev/ports';

export const clientNameFor = (tunnel: string): string => `${tunnel}-client`;

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
  const labels = { 'app.kubernetes.io/name': labelValue(name) };
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

/** A label's value has at most 63 characters; a name may have 253, and Services use up to 63 of it. */
function labelValue(name: string): string {
  if (name.length <= 63) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, 54)}-${digest}`;
}

/** What the children of a TDSet should be: functions of the TDSet alone. */
import { createHash } from 'node:crypto';
import type { Desired } from 'chancery';
import type { Deployment, Service } from 'chancery/kubernetes';
import { rfc3339Micro } from 'chancery/low-level';
import type { Stage } from './ramp.ts';
import type { TDSet } from './resource.ts';

/** When the last step of a ramp was made: kept with the replicas, so that both are written or none. */
const STEPPED_AT = 'schedule.rs/stepped-at';

/** The longest name of a container or a Service, and the longest value of a label. */
const MAX_LABEL = 63;

/**
 * The Deployment, with the labels by which the original selects its Pods: a selector cannot be changed, and
 * one that the original has made goes on as it is.
 */
export function desiredDeployment(
  name: string,
  { container: { image, port } }: TDSet['spec'],
  { replicas, steppedAtMs }: Pick<Stage, 'replicas' | 'steppedAtMs'>,
): Desired<Deployment> {
  const labels = labelsOf(name);
  return {
    metadata: {
      name,
      labels,
      ...(steppedAtMs !== undefined && {
        annotations: { [STEPPED_AT]: rfc3339Micro(steppedAtMs) },
      }),
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: dnsLabel(name),
              image,
              imagePullPolicy: 'IfNotPresent',
              ports: [{ name: 'tdset', containerPort: port, protocol: 'TCP' }],
            },
          ],
        },
      },
    },
  };
}

/** A Service in front of these Pods. By the port's name: while the port changes, each Pod has its own. */
export function desiredService(name: string, port: number): Desired<Service> {
  const labels = labelsOf(name);
  return {
    metadata: { name: dnsLabel(name), labels },
    spec: { selector: labels, ports: [{ port, targetPort: 'tdset', protocol: 'TCP' }] },
  };
}

/** When `deployment` made its last step, as `desiredDeployment` has noted it. */
export function steppedAtOf({ metadata }: Deployment): number | undefined {
  const ms = Date.parse(metadata.annotations?.[STEPPED_AT] ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** True when the Pods of `deployment` are as they should be, however many there are. */
export function hasTemplate(deployment: Deployment, { container }: TDSet['spec']): boolean {
  const [live] = deployment.spec.template.spec?.containers ?? [];
  const ports = live?.ports?.map(({ containerPort }) => containerPort) ?? [];
  return live?.image === container.image && ports.join() === String(container.port);
}

/**
 * `name` where a name must be one DNS label, in place of an object's, which may have dots and 253
 * characters. The same text wherever that is one already.
 */
export function dnsLabel(name: string): string {
  return shortened(name.replaceAll('.', '-'), name);
}

function labelsOf(name: string): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/name': 'TDSet',
    'app.kubernetes.io/instance': shortened(name, name),
    'app.kubernetes.io/version': 'v1',
    'app.kubernetes.io/part-of': 'tdset-operator',
    'app.kubernetes.io/created-by': 'controller-manager',
  };
}

/** `text`, or its beginning and a digest of `name`, so that two long names stay apart. */
function shortened(text: string, name: string): string {
  if (text.length <= MAX_LABEL) return text;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${text.slice(0, MAX_LABEL - 9)}-${digest}`;
}

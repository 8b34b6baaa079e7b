/** What the children of a TDSet should be: functions of the TDSet alone. */
import { childName, type Desired } from 'chancery';
import type { Deployment, Service } from 'chancery/kubernetes';
import { rfc3339Micro } from 'chancery/low-level';
import type { Stage } from './ramp.ts';
import type { TDSet } from './resource.ts';

/** When the last step of a ramp was made: kept with the replicas, so that both are written or none. */
const STEPPED_AT = 'schedule.rs/stepped-at';

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
  const dashed = name.replaceAll('.', '-');
  return childName(dashed.length <= 63 ? dashed : name, { form: 'dns-label' });
}

function labelsOf(name: string): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/name': 'TDSet',
    'app.kubernetes.io/instance': childName(name, { form: 'label-value' }),
    'app.kubernetes.io/version': 'v1',
    'app.kubernetes.io/part-of': 'tdset-operator',
    'app.kubernetes.io/created-by': 'controller-manager',
  };
}

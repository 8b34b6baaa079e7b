/**
 * A BlueGreenDeployment: two ReplicaSets, of which one serves. A new template goes to the idle one. When all of its Pods
 * are available, the Service selects it, and the other is scaled down.
 */
import { isDeepStrictEqual } from 'node:util';
import type { CompositeSyncRequest, CompositeSyncResponse } from '@chancery/metacontroller';
import type { BlueGreenDeployment, PodTemplate, ReplicaSet, Service } from './blue-green-types.ts';

/** The template of a ReplicaSet as it was asked for, without the defaults of the API server. */
const TEMPLATE = 'bluegreendeployments.ctl.enisoc.com/pod-template-json';

type Colour = 'blue' | 'green';

/** What a ReplicaSet shall be. */
interface Half {
  readonly replicas: number;
  readonly template: PodTemplate;
}

export function sync(request: CompositeSyncRequest<BlueGreenDeployment>): CompositeSyncResponse {
  const { parent, children } = request;
  const { metadata, spec } = parent;
  const services = Object.values(children['Service.v1'] ?? {}) as Service[];
  const sets = Object.values(children['ReplicaSet.apps/v1'] ?? {}) as ReplicaSet[];
  const service = services.find((each) => each.metadata.name === spec.service.metadata.name);
  const live: Colour = service?.spec.selector?.color === 'green' ? 'green' : 'blue';
  const idle = opposite(live);
  const setOf = (colour: Colour): ReplicaSet | undefined =>
    sets.find((each) => each.metadata.name === `${metadata.name}-${colour}`);

  const next = nextStep(spec, setOf(live), setOf(idle));
  const serving = next.swap ? idle : live;
  return {
    status: {
      activeColor: live,
      active: setOf(live)?.status ?? { replicas: 0 },
      inactive: setOf(idle)?.status ?? { replicas: 0 },
    },
    children: [
      serviceOf(spec, serving),
      replicaSetOf(parent, live, next.live),
      replicaSetOf(parent, idle, next.idle),
    ],
  };
}

interface Step {
  readonly live: Half;
  readonly idle: Half;
  /** The Service selects the idle half from now on. */
  readonly swap: boolean;
}

function nextStep(
  { replicas, template }: BlueGreenDeployment['spec'],
  live: ReplicaSet | undefined,
  idle: ReplicaSet | undefined,
): Step {
  const wanted = { replicas, template };
  const isLive = (set: ReplicaSet) => isDeepStrictEqual(templateOf(set), template);
  if (live === undefined || isLive(live)) {
    const old = idle === undefined ? template : templateOf(idle);
    return { live: wanted, idle: { replicas: 0, template: old }, swap: false };
  }
  const kept = { replicas: live.spec.replicas, template: templateOf(live) };
  if (idle === undefined || isLive(idle)) {
    return { live: kept, idle: wanted, swap: idle?.status?.availableReplicas === replicas };
  }
  // A template that is not wanted any more is scaled down before the next one is scaled up.
  const isEmpty = idle.spec.replicas === 0 && (idle.status?.replicas ?? 0) === 0;
  const cancelled = { replicas: 0, template: templateOf(idle) };
  return { live: kept, idle: isEmpty ? wanted : cancelled, swap: false };
}

function opposite(colour: Colour): Colour {
  return colour === 'blue' ? 'green' : 'blue';
}

function templateOf({ metadata }: ReplicaSet): PodTemplate {
  return JSON.parse(metadata.annotations?.[TEMPLATE] ?? '{}') as PodTemplate;
}

function serviceOf({ service }: BlueGreenDeployment['spec'], color: Colour) {
  const spec = { ...service.spec, selector: { ...service.spec.selector, color } };
  return { apiVersion: 'v1', kind: 'Service', ...service, spec };
}

/** Its name has 253 characters at most: a BlueGreenDeployment with more than 247 is refused one, and told so. */
function replicaSetOf({ metadata, spec }: BlueGreenDeployment, color: Colour, half: Half) {
  const { replicas, template } = half;
  const labels = { ...template.metadata?.labels, color };
  const { minReadySeconds, selector } = spec;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${color}`,
      labels,
      annotations: { [TEMPLATE]: JSON.stringify(template) },
    },
    spec: {
      replicas,
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, color } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

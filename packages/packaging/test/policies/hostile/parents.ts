/** Writes of parents, in the name of others, and Events. */
import { deploymentSpec, HOME, ingressSpec, owner, type Uids, type Write } from '../garden.ts';
import { APPS, CORE, EVENTS, NET, named, OWN, of, type Row } from './row.ts';

/** Parents and decorated objects: a status, finalizers of the operator, and for a decorator labels and annotations. */
export function parents(): Write[] {
  const parentRows = (['gardens/g', 'beds/b'] as const).flatMap((path): Row[] => [
    [`the spec of ${path} changes`, `${OWN}/${path}`, { spec: { size: 7, rows: 7 } }],
    [`the spec of ${path} is emptied`, `${OWN}/${path}`, { spec: { size: null, rows: null } }],
    [`${path} gets a label`, `${OWN}/${path}`, { metadata: { labels: { x: 'y' } } }],
    [`${path} gets an annotation`, `${OWN}/${path}`, { metadata: { annotations: { x: 'y' } } }],
    [
      `${path} gets an owner`,
      `${OWN}/${path}`,
      { metadata: { ownerReferences: [owner('Bed', 'x', 'u')] } },
    ],
    [
      `${path} gets a foreign finalizer`,
      `${OWN}/${path}`,
      { metadata: { finalizers: ['x.dev/y', 'z.dev/z'] } },
    ],
    [
      `${path} gets a finalizer of the garbage collector`,
      `${OWN}/${path}`,
      { metadata: { finalizers: ['x.dev/y', 'foregroundDeletion'] } },
    ],
  ]);
  return [
    ...parentRows.map(of('PATCH')),
    ...(
      [
        [
          'a Garden loses the finalizer of another',
          `${OWN}/gardens/g`,
          { metadata: { finalizers: [] } },
        ],
        [
          'a Garden gets its finalizer in place of another',
          `${OWN}/gardens/g`,
          { metadata: { finalizers: ['example.dev/fence'] } },
        ],
        [
          'a Garden gets its finalizer and a spec',
          `${OWN}/gardens/g`,
          { metadata: { finalizers: ['x.dev/y', 'example.dev/fence'] }, spec: { size: 8 } },
        ],
        [
          'a Garden gets its finalizer and a label',
          `${OWN}/gardens/g`,
          { metadata: { finalizers: ['x.dev/y', 'example.dev/fence'], labels: { x: 'y' } } },
        ],
        [
          'a Garden gets the finalizer of the decorator',
          `${OWN}/gardens/g`,
          { metadata: { finalizers: ['x.dev/y', 'example.dev/paint'] } },
        ],
        [
          'the spec of an Ingress changes',
          `${NET}/ingresses/i`,
          { spec: { defaultBackend: { service: { name: 'evil' } } } },
        ],
        [
          'an Ingress gets another class',
          `${NET}/ingresses/i`,
          { spec: { ingressClassName: 'x' } },
        ],
        [
          'an Ingress loses the finalizer of another',
          `${NET}/ingresses/i`,
          { metadata: { finalizers: null } },
        ],
        [
          'an Ingress gets a foreign finalizer',
          `${NET}/ingresses/i`,
          { metadata: { finalizers: ['x.dev/y', 'z.dev/z'] } },
        ],
        [
          'an Ingress gets an owner',
          `${NET}/ingresses/i`,
          { metadata: { ownerReferences: [owner('Garden', 'g', 'u')] } },
        ],
        [
          'an Ingress gets a label and a spec',
          `${NET}/ingresses/i`,
          { metadata: { labels: { x: 'y' } }, spec: { ingressClassName: 'x' } },
        ],
      ] satisfies Row[]
    ).map(of('PATCH')),
    ...(
      [
        [
          'a Garden is created',
          `${OWN}/gardens`,
          named('example.dev/v1', 'Garden', 'n', { spec: {} }),
        ],
        ['a Bed is created', `${OWN}/beds`, named('example.dev/v1', 'Bed', 'n', { spec: {} })],
        [
          'an Ingress is created',
          `${NET}/ingresses`,
          named('networking.k8s.io/v1', 'Ingress', 'n', { spec: ingressSpec }),
        ],
      ] satisfies Row[]
    ).map(of('POST')),
    ...(
      [
        ['a Garden is deleted', `${OWN}/gardens/g`],
        ['a Bed is deleted', `${OWN}/beds/b`],
        ['an Ingress is deleted', `${NET}/ingresses/i`],
        ['all Gardens are deleted', `${OWN}/gardens`],
        ['all Ingresses are deleted', `${NET}/ingresses`],
      ] satisfies Row[]
    ).map(of('DELETE')),
    ...(
      [
        [
          'the status of an Ingress is written',
          `${NET}/ingresses/i/status`,
          { status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } } },
        ],
        [
          'the status of a Deployment is written',
          `${APPS}/deployments/own/status`,
          { status: { replicas: 1 } },
        ],
        [
          'the status of a Service is written',
          `${CORE}/services/own/status`,
          { metadata: { annotations: { x: 'y' } } },
        ],
      ] satisfies Row[]
    ).map(of('PATCH')),
  ];
}

/** Good writes in the name of others. */
export function managers({ garden }: Uids): Write[] {
  const names = [
    'kubectl',
    'kubectl-client-side-apply',
    'kube-controller-manager',
    'helm',
    'argocd-controller',
    'before-first-apply',
    'gardener',
    'garden2',
    'garden/',
    'garden/update',
    'xgarden',
    'Garden',
    'chancery',
    'chancery-definitions',
    '',
  ];
  return [
    ...names
      .map(
        (name): Row => [
          `a status in the name of ${name || 'nobody'}`,
          `${OWN}/gardens/g/status`,
          { status: { trees: 1 } },
          name,
        ],
      )
      .map(of('PATCH')),
    ...names
      .slice(0, 6)
      .map(
        (name, at): Row => [
          `a Deployment in the name of ${name}`,
          `${APPS}/deployments`,
          named(
            'apps/v1',
            'Deployment',
            `m${at}`,
            { spec: deploymentSpec },
            { ownerReferences: [owner('Garden', 'g', garden)] },
          ),
          name,
        ],
      )
      .map(of('POST')),
  ];
}

/** Events about kinds that it has nothing to do with. */
export function events(): Write[] {
  const event = (name: string, regarding: object) => ({
    ...named('events.k8s.io/v1', 'Event', name),
    ...{
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'x',
      reportingInstance: 'x',
    },
    ...{ type: 'Normal', reason: 'R', action: 'A', note: 'n', regarding },
  });
  const about = (kind: string, apiVersion: string) => ({
    kind,
    apiVersion,
    name: 'x',
    namespace: HOME,
  });
  const core = named('v1', 'Event', 'c', {
    involvedObject: about('Garden', 'example.dev/v1'),
    reason: 'R',
    message: 'm',
  });
  return [
    ...(
      [
        ['an Event about a Secret', EVENTS, event('e1', about('Secret', 'v1')), 'chancery-events'],
        [
          'an Event about a ServiceAccount',
          EVENTS,
          event('e2', about('ServiceAccount', 'v1')),
          'chancery-events',
        ],
        [
          'an Event about a Garden of another group',
          EVENTS,
          event('e3', about('Garden', 'other.dev/v1')),
          'chancery-events',
        ],
        ['an Event about a Job', EVENTS, event('e4', about('Job', 'batch/v1')), 'chancery-events'],
        [
          'an Event in the old form',
          `${CORE}/events`,
          { ...core, metadata: { name: 'c', namespace: HOME } },
          'chancery-events',
        ],
        [
          'an Event elsewhere',
          EVENTS.replace(HOME, 'next-door'),
          event('e5', { ...about('Garden', 'example.dev/v1'), namespace: 'next-door' }),
          'chancery-events',
        ],
      ] satisfies Row[]
    ).map(of('POST')),
  ];
}

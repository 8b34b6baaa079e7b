/** Writes that the code of the operator makes, in their order. */
import {
  claimSpec,
  deploymentSpec,
  HOME,
  owner,
  PAINTED,
  serviceSpec,
  statefulSetSpec,
  type Uids,
  type Write,
} from './garden.ts';

const CORE = `/api/v1/namespaces/${HOME}`;
const APPS = `/apis/apps/v1/namespaces/${HOME}`;
const OWN = `/apis/example.dev/v1/namespaces/${HOME}`;
const NET = `/apis/networking.k8s.io/v1/namespaces/${HOME}`;
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${HOME}/leases`;
const EVENTS = `/apis/events.k8s.io/v1/namespaces/${HOME}/events`;

const object = (apiVersion: string, kind: string, name: string, more: object, rest: object) => ({
  ...{ apiVersion, kind },
  metadata: { name, namespace: HOME, ...more },
  ...rest,
});

export function goodWrites(uids: Uids): readonly Write[] {
  const garden = { ownerReferences: [owner('Garden', 'g', uids.garden)] };
  const bed = { ownerReferences: [owner('Bed', 'b', uids.bed)] };
  const ingress = {
    ownerReferences: [owner('Ingress', 'i', uids.ingress, 'networking.k8s.io/v1')],
    annotations: PAINTED,
  };
  const deployment = object('apps/v1', 'Deployment', 'new', garden, { spec: deploymentSpec });
  const revision = { ...bed, labels: { 'chancery.dev/revision-of': 'bed' } };
  const newer = { ...bed, ownerReferences: [owner('Bed', 'b', uids.bed, 'example.dev/v2')] };
  const event = {
    ...object('events.k8s.io/v1', 'Event', 'e', {}, {}),
    ...{
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'x',
      reportingInstance: 'x',
    },
    ...{ type: 'Normal', reason: 'R', action: 'A', note: 'n' },
    regarding: { kind: 'Garden', apiVersion: 'example.dev/v1', name: 'g', namespace: HOME },
  };
  const about = (kind: string, apiVersion: string, name: string) => ({
    ...event,
    metadata: { name, namespace: HOME },
    regarding: { kind, apiVersion, name: 'x', namespace: HOME },
  });
  const post = (title: string, path: string, body: object, manager = 'garden/create'): Write => ({
    ...{ title, method: 'POST', path, body, manager },
  });
  const patch = (title: string, path: string, body: object, manager = 'garden'): Write => ({
    ...{ title, method: 'PATCH', path, body, manager },
  });
  const remove = (title: string, path: string): Write => ({ title, method: 'DELETE', path });
  return [
    post('creates a child', `${APPS}/deployments`, deployment),
    { ...patch('applies it', `${APPS}/deployments/new`, deployment), apply: true },
    patch('changes it', `${APPS}/deployments/new`, { spec: { replicas: 2 } }),
    remove('deletes it', `${APPS}/deployments/new`),
    {
      ...patch('applies a child that is not there', `${APPS}/deployments/new`, deployment),
      apply: true,
    },
    post(
      'creates the ConfigMap of its permission',
      `${CORE}/configmaps`,
      object('v1', 'ConfigMap', 'tools', {}, {}),
      'garden',
    ),
    patch('changes it', `${CORE}/configmaps/tools`, { data: { a: '3' } }),
    patch('adds its finalizer', `${OWN}/gardens/g`, {
      metadata: { finalizers: ['x.dev/y', 'example.dev/fence'] },
    }),
    patch('writes a status', `${OWN}/gardens/g/status`, { status: { trees: 2 } }),
    patch(
      'writes a status in the name of its conditions',
      `${OWN}/gardens/g/status`,
      { status: { trees: 3 } },
      'garden/status/Ready',
    ),
    patch('removes its finalizer', `${OWN}/gardens/g`, { metadata: { finalizers: ['x.dev/y'] } }),
    post(
      'creates a child of the composite',
      `${CORE}/services`,
      object('v1', 'Service', 'new', bed, { spec: serviceSpec }),
      'bed/create',
    ),
    post(
      'creates a child with an owner in a newer version',
      `${APPS}/statefulsets`,
      object('apps/v1', 'StatefulSet', 'new', newer, { spec: statefulSetSpec }),
      'bed/create',
    ),
    {
      ...patch(
        'applies a child with owners and finalizers of others',
        `${APPS}/deployments/shared`,
        {
          ...deployment,
          ...object('apps/v1', 'Deployment', 'shared', garden, {
            spec: { ...deploymentSpec, replicas: 2 },
          }),
        },
      ),
      apply: true,
    },
    patch('adopts', `${CORE}/services/foreign`, { metadata: bed }, 'bed'),
    patch(
      'adopts beside another owner',
      `${CORE}/services/shared`,
      {
        metadata: {
          ownerReferences: [
            { ...owner('Garden', 'g', uids.garden), controller: undefined },
            ...bed.ownerReferences,
          ],
        },
      },
      'bed',
    ),
    patch('releases', `${CORE}/services/foreign`, { metadata: { ownerReferences: null } }, 'bed'),
    post(
      'stores a revision',
      `${APPS}/controllerrevisions`,
      object('apps/v1', 'ControllerRevision', 'new', revision, { revision: 1, data: {} }),
      'bed',
    ),
    patch(
      'changes a revision',
      `${APPS}/controllerrevisions/new`,
      { metadata: { annotations: { 'chancery.dev/revision-children': '[]' } } },
      'bed',
    ),
    remove('deletes a revision', `${APPS}/controllerrevisions/new`),
    patch(
      'labels a decorated object',
      `${NET}/ingresses/i`,
      { metadata: { labels: { painted: 'red' }, annotations: { by: 'painter' } } },
      'painter',
    ),
    patch(
      'adds the finalizer of the decorator',
      `${NET}/ingresses/i`,
      { metadata: { finalizers: ['x.dev/y', 'example.dev/paint'] } },
      'painter',
    ),
    post(
      'makes an attachment',
      `${CORE}/persistentvolumeclaims`,
      object('v1', 'PersistentVolumeClaim', 'new', ingress, { spec: claimSpec }),
      'painter/create',
    ),
    patch(
      'changes an attachment',
      `${CORE}/persistentvolumeclaims/new`,
      { metadata: { labels: { a: 'b' } } },
      'painter',
    ),
    remove('deletes an attachment', `${CORE}/persistentvolumeclaims/new`),
    post(
      'creates its Lease',
      LEASES,
      object(
        'coordination.k8s.io/v1',
        'Lease',
        'gardener-leader',
        {},
        { spec: { holderIdentity: 'a' } },
      ),
      'chancery-leader-election',
    ),
    patch(
      'renews its Lease',
      `${LEASES}/gardener-leader`,
      { spec: { holderIdentity: 'b' } },
      'chancery-leader-election',
    ),
    post('records an Event about a parent', EVENTS, event, 'chancery-events'),
    patch(
      'counts an Event',
      `${EVENTS}/e`,
      { series: { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' } },
      'chancery-events',
    ),
    post(
      'records an Event about a child',
      EVENTS,
      about('Deployment', 'apps/v1', 'e2'),
      'chancery-events',
    ),
    post(
      'records an Event about its Lease',
      EVENTS,
      about('Lease', 'coordination.k8s.io/v1', 'e3'),
      'chancery-leader-election',
    ),
  ];
}

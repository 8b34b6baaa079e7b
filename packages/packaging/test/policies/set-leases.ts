/** The Leases of an operator whose replicas share the work: what they write, and what a stolen token might. */
import type { KubernetesObject } from 'chancery';
import { HOME, OPTIONS, owner, type Uids, type Write } from './garden.ts';
import { EVENTS, elsewhere, LEASES } from './hostile/row.ts';

const SET = 'gardener-leader';
const LEASE = 'coordination.k8s.io/v1';
const LABEL = 'chancery.dev/shard-set';
const GENERATION = 'chancery.dev/shard-generation';

export const SHARED: typeof OPTIONS = {
  ...OPTIONS,
  leaderElection: { namespace: HOME, leaseName: SET, sharded: true },
};

const lease = (name: string, metadata: object = {}, namespace = HOME): KubernetesObject =>
  ({
    ...{ apiVersion: LEASE, kind: 'Lease', spec: { holderIdentity: 'a' } },
    metadata: { name, namespace, ...metadata },
  }) as KubernetesObject;

const ours = { labels: { [LABEL]: SET } };
const theirs = { labels: { [LABEL]: 'other-leader' } };
const member = { ...ours, annotations: { [GENERATION]: 'sharded/16/uid' } };

/** Of this set and of others, before the first request. */
export const BEFORE: readonly KubernetesObject[] = [
  lease('gardener-leader-group-3', ours),
  lease('gardener-leader-group-4'),
  lease('gardener-leader-group-5', theirs),
  lease('gardener-leader-member-pod-1', member),
  lease('gardener-leader-member-pod-2'),
  lease('gardener-leader-member-pod-3', theirs),
  lease('other-leader-group-3', theirs),
  lease('gardener-leader-group-3', ours, 'next-door'),
];

const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', name, uid: 'of-the-pod' });

const MANAGER = 'chancery-sharding';
const create = (title: string, object: KubernetesObject, path = LEASES): Write => ({
  ...{ title, method: 'POST', path, body: object, manager: MANAGER },
});
const change = (title: string, name: string, body: object, path = LEASES): Write => ({
  ...{ title, method: 'PATCH', path: `${path}/${name}`, body, manager: MANAGER },
});
const renewal = { spec: { holderIdentity: 'b' } };

export const GOOD: readonly Write[] = [
  create('creates the Lease of a group', lease('gardener-leader-group-0', ours)),
  create('creates that of the last group', lease('gardener-leader-group-63', ours)),
  create('creates that of a replica', lease('gardener-leader-member-gardener-7d-x.y', member)),
  create(
    'creates that of a replica with its Pod',
    lease('gardener-leader-member-p', { ...member, ownerReferences: [pod('p')] }),
  ),
  change('renews that of the set', SET, { spec: { holderIdentity: 'sharded/16/uid' } }),
  change('renews that of a group', 'gardener-leader-group-3', renewal),
  change('renews that of a group without a label', 'gardener-leader-group-4', renewal),
  change('renews that of a replica', 'gardener-leader-member-pod-1', renewal),
  change('divides keys in another way', 'gardener-leader-member-pod-1', {
    metadata: { annotations: { [GENERATION]: 'sharded/8/uid' } },
  }),
  change('mends that of a replica', 'gardener-leader-member-pod-2', { metadata: member }),
  change('mends the label of a group', 'gardener-leader-group-5', { metadata: ours }),
  change('mends the label of a replica', 'gardener-leader-member-pod-3', { metadata: member }),
  create(
    'records an Event about a group',
    {
      ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', reason: 'R', action: 'A', note: 'n' },
      ...{ type: 'Normal', reportingController: 'x', reportingInstance: 'x' },
      metadata: { name: 'group-3', namespace: HOME },
      eventTime: '2026-01-01T00:00:00.000000Z',
      regarding: {
        ...{ kind: 'Lease', apiVersion: LEASE },
        ...{ name: 'gardener-leader-group-3', namespace: HOME },
      },
    } as KubernetesObject,
    EVENTS,
  ),
];

export function hostileLeases({ garden }: Uids): readonly Write[] {
  const metadata = (more: object): object => ({ metadata: more });
  return [
    create('a group that there cannot be', lease('gardener-leader-group-64', ours)),
    create('a group with another number', lease('gardener-leader-group-01', ours)),
    create('a group of something', lease('gardener-leader-group-1-a', ours)),
    create('a name that goes on', lease('gardener-leader-2', ours)),
    create('a name with something before it', lease('a-gardener-leader-group-0', ours)),
    create('a group of another set', lease('other-leader-group-0', theirs)),
    create('a replica of another set', lease('other-leader-member-pod', theirs)),
    create('its own name in another set', lease('gardener-leader-member-new', theirs)),
    create(
      'a group that counts as a replica',
      lease('gardener-leader-group-8', {
        ...ours,
        annotations: { [GENERATION]: 'sharded/16/uid' },
      }),
    ),
    create(
      'a group with another label',
      lease('gardener-leader-group-8', { labels: { ...ours.labels, x: 'y' } }),
    ),
    create(
      'a replica with another annotation',
      lease('gardener-leader-member-new', { ...ours, annotations: { x: 'y' } }),
    ),
    create(
      'a group with a finalizer',
      lease('gardener-leader-group-8', { ...ours, finalizers: ['x.dev/y'] }),
    ),
    create(
      'a replica with an owner',
      lease('gardener-leader-member-new', {
        ...member,
        ownerReferences: [owner('Garden', 'g', garden)],
      }),
    ),
    create(
      'a replica with the Pod of another',
      lease('gardener-leader-member-p', { ...member, ownerReferences: [pod('q')] }),
    ),
    create(
      'a replica with another kind of that name',
      lease('gardener-leader-member-p', {
        ...member,
        ownerReferences: [{ ...pod('p'), kind: 'ConfigMap' }],
      }),
    ),
    create(
      'a replica with a Pod of another group',
      lease('gardener-leader-member-p', {
        ...member,
        ownerReferences: [{ ...pod('p'), apiVersion: 'example.dev/v1' }],
      }),
    ),
    create(
      'a replica that its Pod controls',
      lease('gardener-leader-member-p', {
        ...member,
        ownerReferences: [{ ...pod('p'), controller: true }],
      }),
    ),
    create(
      'a group with a Pod',
      lease('gardener-leader-group-8', { ...ours, ownerReferences: [pod('p')] }),
    ),
    create(
      'a group elsewhere',
      lease('gardener-leader-group-8', ours, 'next-door'),
      elsewhere(LEASES),
    ),
    create('a generated name', lease('', { generateName: 'gardener-leader-group-', ...ours })),
    change('takes a group of another set', 'other-leader-group-3', renewal),
    change('leaves a Lease of its own in another set', 'gardener-leader-group-5', renewal),
    change('renews a group elsewhere', 'gardener-leader-group-3', renewal, elsewhere(LEASES)),
    change('takes another Lease', 'other', renewal),
    change('gives a group to another set', 'gardener-leader-group-3', metadata(theirs)),
    change('gives a replica to another set', 'gardener-leader-member-pod-2', metadata(theirs)),
    change('takes a group out of its set', 'gardener-leader-group-3', {
      metadata: { labels: { [LABEL]: null } },
    }),
    change('makes a group a replica', 'gardener-leader-group-3', metadata(member)),
    change('makes the set a replica', SET, metadata(member)),
    change('removes how a replica divides', 'gardener-leader-member-pod-1', {
      metadata: { annotations: { [GENERATION]: null } },
    }),
    change('labels a replica', 'gardener-leader-member-pod-1', metadata({ labels: { x: 'y' } })),
    change('annotates a group', 'gardener-leader-group-3', metadata({ annotations: { x: 'y' } })),
    change(
      'adds a finalizer to a group',
      'gardener-leader-group-3',
      metadata({ finalizers: ['x.dev/y'] }),
    ),
    change(
      'adds an owner to a replica',
      'gardener-leader-member-pod-1',
      metadata({ ownerReferences: [owner('Garden', 'g', garden)] }),
    ),
    change(
      'adds its Pod to a replica later',
      'gardener-leader-member-pod-1',
      metadata({ ownerReferences: [pod('pod-1')] }),
    ),
    {
      ...change('renews under another name', 'gardener-leader-group-3', renewal),
      manager: 'chancery-events',
    },
    {
      title: 'deletes a group',
      method: 'DELETE',
      path: `${LEASES}/gardener-leader-group-3`,
    },
    {
      title: 'writes a ConfigMap as sharding',
      method: 'PATCH',
      path: `/api/v1/namespaces/${HOME}/configmaps/tools`,
      body: { data: { a: '9' } },
      manager: MANAGER,
    },
  ];
}

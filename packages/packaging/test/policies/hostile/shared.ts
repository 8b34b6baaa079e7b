/** Writes of what the operator may write, which take something from others or give it to them. */
import { deploymentSpec, owner, type Uids, type Write } from '../garden.ts';
import { APPS, CORE, EVENTS, LEASES, named, OWN, of, type Row } from './row.ts';

export function shared(uids: Uids): Write[] {
  return [...owners(uids), ...finalizers(), ...lease(uids), ...event(), ...managers()];
}

/** Owners beside the controller, and the name of the controller. */
function owners(uids: Uids): Write[] {
  const garden = owner('Garden', 'g', uids.garden);
  const bed = owner('Bed', 'b', uids.bed);
  const beside = (reference: object): object => ({ ...reference, controller: undefined });
  const set = (...ownerReferences: object[]) => ({ metadata: { ownerReferences } });
  const deployment = (name: string, ...ownerReferences: object[]) =>
    named('apps/v1', 'Deployment', name, { spec: deploymentSpec }, { ownerReferences });
  const patches: Row[] = [
    ['its Deployment gets a second owner', `${APPS}/deployments/own`, set(garden, beside(bed))],
    ['a Deployment loses its other owner', `${APPS}/deployments/shared`, set(garden)],
    [
      'the owner of its Deployment gets another name',
      `${APPS}/deployments/own`,
      set({ ...garden, name: 'h' }),
    ],
    [
      'the owner of its Deployment gets another uid',
      `${APPS}/deployments/own`,
      set({ ...garden, uid: 'another-uid' }),
    ],
    ['a Service is taken from its other owner', `${CORE}/services/shared`, set(bed), 'bed'],
    [
      'a foreign Service is adopted, and gets a second owner',
      `${CORE}/services/foreign`,
      set(bed, beside(garden)),
      'bed',
    ],
    [
      'its Service is released to another owner',
      `${CORE}/services/own`,
      set(beside(garden)),
      'bed',
    ],
    [
      'its Service keeps an owner that is no controller',
      `${CORE}/services/own`,
      set(beside(bed)),
      'bed',
    ],
  ];
  return [
    ...patches.map(of('PATCH')),
    of('POST')([
      'a Deployment is created with a second owner',
      `${APPS}/deployments`,
      deployment('o1', garden, beside(bed)),
    ]),
    of(
      'PATCH',
      true,
    )([
      'a second owner of its Deployment is applied',
      `${APPS}/deployments/own`,
      deployment('own', garden, beside(bed)),
    ]),
  ];
}

function finalizers(): Write[] {
  const set = (...list: string[]) => ({ metadata: { finalizers: list } });
  const rows: Row[] = [
    ['its Deployment gets a finalizer', `${APPS}/deployments/own`, set('x.dev/y')],
    ['its Deployment gets the one of parents', `${APPS}/deployments/own`, set('example.dev/fence')],
    ['its Deployment is to be orphaned', `${APPS}/deployments/own`, set('orphan')],
    ['its Deployment loses a finalizer of another', `${APPS}/deployments/shared`, set()],
    ['its Service gets a finalizer', `${CORE}/services/own`, set('x.dev/y'), 'bed'],
    [
      'an attachment gets a finalizer',
      `${CORE}/persistentvolumeclaims/own`,
      set('x.dev/y'),
      'painter',
    ],
  ];
  return rows.map(of('PATCH'));
}

/** Only the election writes the Lease. */
function lease({ garden }: Uids): Write[] {
  const rows = (
    [
      ['a finalizer', { finalizers: ['x.dev/y'] }],
      ['an owner', { ownerReferences: [owner('Garden', 'g', garden)] }],
      ['a label', { labels: { x: 'y' } }],
      ['an annotation', { annotations: { x: 'y' } }],
    ] as const
  ).map(
    ([what, metadata]): Row => [
      `its Lease gets ${what}`,
      `${LEASES}/gardener-leader`,
      { metadata },
      'chancery-leader-election',
    ],
  );
  return rows.map(of('PATCH'));
}

/** Of a stored Event only its count changes. The API server itself refuses another note or type. */
function event(): Write[] {
  const rows = (
    [
      ['label', { metadata: { labels: { x: 'y' } } }],
      ['finalizer', { metadata: { finalizers: ['x.dev/y'] } }],
    ] as const
  ).map(
    ([what, body]): Row => [
      `a stored Event gets another ${what}`,
      `${EVENTS}/shared`,
      body,
      'chancery-events',
    ],
  );
  return rows.map(of('PATCH'));
}

/** Names of the toolkit itself, which belong to its own objects. */
function managers(): Write[] {
  const rows = ['chancery-events', 'chancery-leader-election'].flatMap((manager): Row[] => [
    [
      `its Deployment changes in the name of ${manager}`,
      `${APPS}/deployments/own`,
      { spec: { replicas: 3 } },
      manager,
    ],
    [
      `a status is written in the name of ${manager}`,
      `${OWN}/gardens/g/status`,
      { status: { trees: 1 } },
      manager,
    ],
    [
      `the ConfigMap changes in the name of ${manager}`,
      `${CORE}/configmaps/tools`,
      { data: { a: '4' } },
      manager,
    ],
  ]);
  const renewal: Row = [
    'its Lease is renewed in the name of chancery-events',
    `${LEASES}/gardener-leader`,
    { spec: { holderIdentity: 'y' } },
    'chancery-events',
  ];
  return [...rows, renewal].map(of('PATCH'));
}

/** Writes of children that no declared parent controls. */
import {
  claimSpec,
  deploymentSpec,
  owner,
  PAINTED,
  serviceSpec,
  statefulSetSpec,
  type Uids,
  type Write,
} from '../garden.ts';
import { APPS, CORE, named, of, type Row } from './row.ts';

/** Every way to name an owner that is none. */
function wrongOwners({ garden, bed, ingress }: Uids): readonly (readonly [string, object[]])[] {
  const good = owner('Garden', 'g', garden);
  return [
    ['no owner', []],
    ['an owner that is no controller', [{ ...good, controller: false }]],
    [
      'an owner that does not say whether it is the controller',
      [{ ...good, controller: undefined }],
    ],
    ['a controller of another kind', [owner('Bed', 'b', bed)]],
    ['a controller of a built-in kind', [owner('Ingress', 'i', ingress, 'networking.k8s.io/v1')]],
    ['a controller of the kind in another group', [owner('Garden', 'g', garden, 'example.com/v1')]],
    ['a controller of the kind in the core group', [owner('Garden', 'g', garden, 'v1')]],
    [
      'a controller of the kind in a longer group',
      [owner('Garden', 'g', garden, 'example.dev.evil/v1')],
    ],
    ['a controller of the kind in other letters', [owner('garden', 'g', garden)]],
    ['a controller of the plural', [owner('gardens', 'g', garden)]],
    [
      'another controller beside the owner',
      [{ ...good, controller: false }, owner('Bed', 'b', bed)],
    ],
  ];
}

/** Children of the controller: only what a Garden controls. */
export function deployments(uids: Uids): Write[] {
  const path = `${APPS}/deployments`;
  const spec = { spec: deploymentSpec };
  const made = (name: string, references: object[]) =>
    named('apps/v1', 'Deployment', name, spec, { ownerReferences: references });
  const owners = wrongOwners(uids);
  return [
    ...owners
      .map(([what, list], at): Row => [`a Deployment with ${what}`, path, made(`n${at}`, list)])
      .map(of('POST')),
    ...owners
      .map(
        ([what, list], at): Row => [
          `an applied Deployment with ${what}`,
          `${path}/a${at}`,
          made(`a${at}`, list),
        ],
      )
      .map(of('PATCH', true)),
    ...owners
      .map(
        ([what, list]): Row => [
          `its Deployment gets ${what}`,
          `${path}/own`,
          { metadata: { ownerReferences: list } },
        ],
      )
      .map(of('PATCH')),
    ...(
      [
        ['a foreign Deployment is scaled', `${path}/foreign`, { spec: { replicas: 9 } }],
        [
          'a foreign Deployment gets another image',
          `${path}/foreign`,
          { spec: { template: { spec: { serviceAccountName: 'admin' } } } },
        ],
        [
          'a foreign Deployment gets a label',
          `${path}/foreign`,
          { metadata: { labels: { x: 'y' } } },
        ],
        [
          'a foreign Deployment gets an annotation',
          `${path}/foreign`,
          { metadata: { annotations: { x: 'y' } } },
        ],
        [
          'a foreign Deployment gets a finalizer',
          `${path}/foreign`,
          { metadata: { finalizers: ['x.dev/y'] } },
        ],
        [
          'a foreign Deployment is adopted',
          `${path}/foreign`,
          { metadata: { ownerReferences: [owner('Garden', 'g', uids.garden)] } },
        ],
        [
          'a foreign Deployment is adopted and scaled',
          `${path}/foreign`,
          {
            metadata: { ownerReferences: [owner('Garden', 'g', uids.garden)] },
            spec: { replicas: 2 },
          },
        ],
        [
          'its Deployment is given to another Garden',
          `${path}/own`,
          { metadata: { ownerReferences: [owner('Garden', 'h', 'another-uid')] } },
        ],
      ] satisfies Row[]
    ).map(of('PATCH')),
    ...(
      [
        ['a foreign Deployment is replaced', `${path}/foreign`, made('foreign', [])],
        [
          'a foreign Deployment is replaced by an owned one',
          `${path}/foreign`,
          made('foreign', [owner('Garden', 'g', uids.garden)]),
        ],
      ] satisfies Row[]
    ).map(of('PUT')),
    ...(
      [
        ['a foreign Deployment is deleted', `${path}/foreign`],
        [
          'a foreign Deployment is deleted with its Pods',
          `${path}/foreign`,
          { propagationPolicy: 'Foreground' },
        ],
        ['all Deployments are deleted', path],
        ['its Deployments are deleted at once', `${path}?fieldSelector=metadata.name%3Down`],
      ] satisfies Row[]
    ).map(of('DELETE')),
  ];
}

/** Children of the composite, which adopts by changing owner references and nothing else. */
export function bedChildren(uids: Uids): Write[] {
  const bed = owner('Bed', 'b', uids.bed);
  const garden = owner('Garden', 'g', uids.garden);
  const service = (name: string, references: object[]) =>
    named('v1', 'Service', name, { spec: serviceSpec }, { ownerReferences: references });
  const set = (name: string, references: object[]) =>
    named(
      'apps/v1',
      'StatefulSet',
      name,
      { spec: statefulSetSpec },
      { ownerReferences: references },
    );
  return [
    ...(
      [
        ['a Service without owner', `${CORE}/services`, service('n1', [])],
        ['a Service of a Garden', `${CORE}/services`, service('n2', [garden])],
        [
          'a Service of a Bed that is no controller',
          `${CORE}/services`,
          service('n3', [{ ...bed, controller: false }]),
        ],
        ['a StatefulSet without owner', `${APPS}/statefulsets`, set('n4', [])],
        ['a StatefulSet of a Garden', `${APPS}/statefulsets`, set('n5', [garden])],
        [
          'a StatefulSet of a Bed of another group',
          `${APPS}/statefulsets`,
          set('n6', [owner('Bed', 'b', uids.bed, 'apps/v1')]),
        ],
      ] satisfies Row[]
    ).map(of('POST')),
    ...(
      [
        [
          'a foreign Service changes its ports',
          `${CORE}/services/foreign`,
          { spec: { ports: [{ port: 81 }] } },
        ],
        [
          'a foreign Service is adopted and changed',
          `${CORE}/services/foreign`,
          { metadata: { ownerReferences: [bed] }, spec: { ports: [{ port: 81 }] } },
        ],
        [
          'a foreign Service is adopted and labelled',
          `${CORE}/services/foreign`,
          { metadata: { ownerReferences: [bed], labels: { x: 'y' } } },
        ],
        [
          'a foreign Service is adopted and annotated',
          `${CORE}/services/foreign`,
          { metadata: { ownerReferences: [bed], annotations: { x: 'y' } } },
        ],
        [
          'a foreign Service is adopted with a finalizer',
          `${CORE}/services/foreign`,
          { metadata: { ownerReferences: [bed], finalizers: ['x.dev/y'] } },
        ],
        [
          'a foreign Service is adopted for a Garden',
          `${CORE}/services/foreign`,
          { metadata: { ownerReferences: [garden] } },
        ],
        [
          'its Service is released and changed',
          `${CORE}/services/own`,
          { metadata: { ownerReferences: null }, spec: { ports: [{ port: 81 }] } },
        ],
        [
          'its Service is given to a Garden',
          `${CORE}/services/own`,
          { metadata: { ownerReferences: [garden] } },
        ],
        [
          'its Service is given to another Bed',
          `${CORE}/services/own`,
          { metadata: { ownerReferences: [owner('Bed', 'c', 'another-uid')] } },
        ],
        [
          'a foreign StatefulSet is scaled',
          `${APPS}/statefulsets/foreign`,
          { spec: { replicas: 0 } },
        ],
        [
          'a foreign StatefulSet is adopted and scaled',
          `${APPS}/statefulsets/foreign`,
          { metadata: { ownerReferences: [bed] }, spec: { replicas: 0 } },
        ],
      ] satisfies Row[]
    ).map(of('PATCH')),
    ...(
      [
        ['a foreign Service is deleted', `${CORE}/services/foreign`],
        ['all StatefulSets are deleted', `${APPS}/statefulsets`],
        ['a foreign StatefulSet is deleted', `${APPS}/statefulsets/foreign`],
      ] satisfies Row[]
    ).map(of('DELETE')),
  ];
}

/** Revisions have the label of the composite, attachments the annotation of the decorator. */
export function marked(uids: Uids): Write[] {
  const bed = owner('Bed', 'b', uids.bed);
  const ingress = owner('Ingress', 'i', uids.ingress, 'networking.k8s.io/v1');
  const revisions = `${APPS}/controllerrevisions`;
  const claims = `${CORE}/persistentvolumeclaims`;
  const label = (value: string) => ({ labels: { 'chancery.dev/revision-of': value } });
  const revision = (name: string, references: object[], more: object) =>
    named(
      'apps/v1',
      'ControllerRevision',
      name,
      { revision: 1, data: {} },
      { ownerReferences: references, ...more },
    );
  const claim = (name: string, references: object[], annotations: object) =>
    named(
      'v1',
      'PersistentVolumeClaim',
      name,
      { spec: claimSpec },
      { ownerReferences: references, annotations },
    );
  return [
    ...(
      [
        ['a revision without the label', revisions, revision('n1', [bed], {})],
        ['a revision of another controller', revisions, revision('n2', [bed], label('other'))],
        ['a revision without owner', revisions, revision('n3', [], label('bed'))],
        [
          'a revision of a Garden',
          revisions,
          revision('n4', [owner('Garden', 'g', uids.garden)], label('bed')),
        ],
        [
          'a revision of a StatefulSet',
          revisions,
          revision(
            'n5',
            [owner('StatefulSet', 'foreign', uids.foreignSet, 'apps/v1')],
            label('bed'),
          ),
        ],
        ['an attachment without the mark', claims, claim('n6', [ingress], {})],
        [
          'an attachment of another decorator',
          claims,
          claim('n7', [ingress], {
            ...PAINTED,
            'metacontroller.k8s.io/decorator-controller': 'other',
          }),
        ],
        ['an attachment without owner', claims, claim('n8', [], PAINTED)],
        [
          'an attachment of a Garden',
          claims,
          claim('n9', [owner('Garden', 'g', uids.garden)], PAINTED),
        ],
      ] satisfies Row[]
    ).map(of('POST')),
    ...(
      [
        [
          'a revision of a StatefulSet is labelled',
          `${revisions}/foreign`,
          { metadata: label('bed') },
        ],
        [
          'a revision of a StatefulSet is taken',
          `${revisions}/foreign`,
          { metadata: { ...label('bed'), ownerReferences: [bed] } },
        ],
        [
          'its revision loses the label',
          `${revisions}/own`,
          { metadata: { labels: { 'chancery.dev/revision-of': null } } },
        ],
        [
          'an unmarked claim of the Ingress changes',
          `${claims}/unmarked`,
          { metadata: { labels: { x: 'y' } } },
        ],
        [
          'an unmarked claim of the Ingress is marked',
          `${claims}/unmarked`,
          { metadata: { annotations: PAINTED } },
        ],
        ['a foreign claim is marked', `${claims}/foreign`, { metadata: { annotations: PAINTED } }],
        [
          'a foreign claim is marked and owned',
          `${claims}/foreign`,
          { metadata: { annotations: PAINTED, ownerReferences: [ingress] } },
        ],
        [
          'an attachment loses its mark',
          `${claims}/own`,
          { metadata: { annotations: { 'metacontroller.k8s.io/decorator-controller': null } } },
        ],
        ['an attachment loses its owner', `${claims}/own`, { metadata: { ownerReferences: null } }],
      ] satisfies Row[]
    ).map(of('PATCH')),
    ...(
      [
        ['a revision of a StatefulSet is deleted', `${revisions}/foreign`],
        ['all revisions are deleted', revisions],
        ['a foreign claim is deleted', `${claims}/foreign`],
        ['an unmarked claim of the Ingress is deleted', `${claims}/unmarked`],
        ['all claims are deleted', claims],
      ] satisfies Row[]
    ).map(of('DELETE')),
  ];
}

import { type OwnerReference, objectKey, type Source, source } from 'chancery';
import { AGE_COLUMN, customResource, Nullable, type ObjectOf, Type } from 'chancery/schema';

export const GROUP = 'operator.inlets.dev';

/** An object by its name. A namespace is accepted, and must be the Tunnel's own. */
const reference = () =>
  Type.Object({
    name: Type.String({
      maxLength: 253,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    }),
    namespace: Type.Optional(Type.String()),
  });

/** As a status has it. The original left empty ones behind, and an object that has one must stay writable. */
const noted = () =>
  Nullable(
    Type.Object({ name: Type.Optional(Type.String()), namespace: Type.Optional(Type.String()) }),
  );

export const tunnels = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'Tunnel',
  description:
    'A public address for a Service: a host at a provider, and a client that joins them.',
  spec: Type.Object({
    serviceRef: reference(),
    authTokenRef: Type.Optional(Nullable(reference())),
    licenseRef: Type.Optional(Nullable(reference())),
    updateServiceIP: Type.Optional(Nullable(Type.Boolean())),
  }),
  status: Type.Object({
    authTokenRef: Type.Optional(noted()),
    clientDeploymentRef: Type.Optional(noted()),
    generated: Type.Optional(Type.Boolean()),
    hostIP: Type.Optional(Type.String()),
    hostId: Type.Optional(Type.String()),
    hostMissingSince: Type.Optional(Type.String({ format: 'date-time' })),
    hostStatus: Type.Optional(Type.String()),
  }),
  printerColumns: [
    { name: 'Service', jsonPath: '.spec.serviceRef.name' },
    { name: 'Client', jsonPath: '.status.clientDeploymentRef.name' },
    { name: 'HostStatus', jsonPath: '.status.hostStatus' },
    { name: 'HostIP', jsonPath: '.status.hostIP' },
    { name: 'HostID', jsonPath: '.status.hostId' },
    { name: 'UpdateServiceIP', jsonPath: '.spec.updateServiceIP' },
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    AGE_COLUMN,
  ],
});

export type Tunnel = ObjectOf<typeof tunnels>;

/** What its status says besides conditions. */
export type TunnelFacts = Omit<NonNullable<Tunnel['status']>, 'conditions' | 'observedGeneration'>;

/** Tunnels, by the key of the Service that they are for. */
export const tunnelsByService: Source<Tunnel> = source(tunnels, {
  indexes: { service: (tunnel) => [serviceKeyOf(tunnel)] },
});

export const serviceKeyOf = ({ metadata, spec }: Tunnel) =>
  objectKey(metadata.namespace, spec.serviceRef.name);

/** What marks the host at its provider, whatever becomes of names: the identity of this very Tunnel. */
export function uidOf({ metadata }: Tunnel): string {
  const { uid = '' } = metadata;
  if (uid === '') throw new Error('a Tunnel that was read has a uid');
  return uid;
}

/** True for a Service of Kubernetes; others have a kind of that name as well. */
export function isService(owner: OwnerReference | undefined): owner is OwnerReference {
  return owner?.kind === 'Service' && owner.apiVersion === 'v1';
}

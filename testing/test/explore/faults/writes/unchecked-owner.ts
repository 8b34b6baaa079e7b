/**
 * Two objects name one Secret, and whether it is taken is asked before it is written. After cert-manager/cert-manager,
 * issue 6149: two Certificates with one Secret, each of which overwrote what the other had written.
 */
import {
  type Controller,
  controller,
  generationChanged,
  isAlreadyExists,
  type ReconcileContext,
} from 'chancery';
import { type Secret, secrets } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { all, find, GROUP, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const certificates = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'ServerCertificate',
  spec: Type.Object({ secretName: Type.String() }),
  status: Type.Object({ phase: Type.Enum(['Ready', 'Conflict']) }),
});
type Certificate = ObjectOf<typeof certificates>;

const OWNER = `${GROUP}/certificate`;

/** Writes the Secret, and answers the one that is there. */
type Write = (wanted: Secret, context: ReconcileContext<Certificate>) => Promise<Secret>;

function certificate(write: Write): Controller {
  return controller({
    name: 'server-certificate',
    for: certificates,
    predicate: generationChanged,
    maxConcurrentReconciles: 2,
    permissions: [{ resource: secrets, verbs: ['get', 'create', 'patch'] }],
    async reconcile({ metadata: { name, namespace }, spec: { secretName } }, context) {
      const existing = await context.client.find(secrets, { namespace, name: secretName });
      const annotations = { [OWNER]: name };
      const wanted = objectOf(secrets, { name: secretName, annotations }, {});
      const stored = existing ?? (await write(wanted, context));
      const isOurs = stored.metadata.annotations?.[OWNER] === name;
      await context.setStatus({ phase: isOurs ? 'Ready' : 'Conflict' });
    },
  });
}

const apply: Write = (wanted, { client }) => client.apply(secrets, wanted, { force: true });

const create: Write = async (wanted, { client }) => {
  try {
    return await client.create(secrets, wanted);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get(secrets, wanted.metadata);
  }
};

export const uncheckedOwner: Fault = {
  name: 'missing ownership check',
  source: 'cert-manager/cert-manager#6149',
  scenario: {
    objects: [certificates.definition],
    changes: ['first', 'second'].map((name) => ({
      name: `ServerCertificate ${name} is created`,
      apply: (cluster) => {
        cluster.create(objectOf(certificates, { name }, { spec: { secretName: 'tls' } }));
      },
    })),
    atRest: [
      {
        name: 'a Secret is that of the certificate that is ready',
        check: (cluster) => {
          const owner = find(cluster, secrets, 'tls')?.metadata.annotations?.[OWNER];
          const ready = all(cluster, certificates).filter(
            ({ status }) => status?.phase === 'Ready',
          );
          const others = ready.filter(({ metadata }) => metadata.name !== owner);
          return others.length === 0
            ? undefined
            : `${others[0]?.metadata.name} is ready with the Secret of ${owner}`;
        },
      },
    ],
    // Who is first has the Secret.
    ignore: ({ apiVersion, kind, metadata: { name } }) => ({
      apiVersion,
      kind,
      metadata: { name },
    }),
  },
  faulty: () => [certificate(apply)],
  corrected: () => [certificate(create)],
  breaks: 'a Secret is that of the certificate that is ready',
  deviations: 1,
};

/**
 * Secrets that the cached status does not name are deleted. After cert-manager/cert-manager, pull request 9097: a stale
 * status let the controller delete the Secret that was in use.
 */
import { type Controller, controller, isAlreadyExists, source } from 'chancery';
import { secrets } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { all, controlledBy, find, GROUP, NAMESPACE, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const certificates = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Certificate',
  spec: Type.Object({}),
  status: Type.Object({ keySecret: Type.Optional(Type.String()) }),
});

const keys = source(secrets, { labelSelector: 'app=certificate' });

/** @param named - the name of the Secret, or what its name begins with. */
function certificate(named: (name: string) => object): Controller {
  return controller({
    name: 'certificate',
    for: certificates,
    owns: [keys],
    permissions: [{ resource: secrets, verbs: ['create', 'delete'] }],
    consistency: 'none',
    async reconcile(certificate, { client, setStatus, store }) {
      const { name } = certificate.metadata;
      const labels = { app: 'certificate', certificate: name };
      const { keySecret } = certificate.status ?? {};
      if (keySecret === undefined) {
        const metadata = { ...named(name), labels, ...controlledBy(certificate) };
        const key = objectOf(secrets, metadata, {});
        const stored = await client.create(secrets, key).catch((error: unknown) => {
          if (isAlreadyExists(error)) return key;
          throw error;
        });
        await setStatus({ keySecret: stored.metadata.name });
        return;
      }
      for (const { metadata } of store(keys).list({ selector: `certificate=${name}` })) {
        if (metadata.name !== keySecret) await client.delete(secrets, metadata);
      }
    },
  });
}

export const cleanupByCachedStatus: Fault = {
  name: 'cleanup by a cached status',
  source: 'cert-manager/cert-manager#9097',
  scenario: {
    objects: [certificates.definition, objectOf(certificates, { name: 'demo' }, { spec: {} })],
    atRest: [
      {
        name: 'the Secret that the status names is there',
        check: (cluster) => {
          const keySecret = find(cluster, certificates, 'demo')?.status?.keySecret;
          if (keySecret === undefined) return 'the status names no Secret';
          return find(cluster, secrets, keySecret) ? undefined : `${keySecret} is not there`;
        },
      },
      {
        name: 'no other key is left',
        check: (cluster) => {
          const { length } = all(cluster, secrets).filter(
            ({ metadata }) => metadata.labels?.app === 'certificate',
          );
          return length === 1 ? undefined : `there are ${length} keys in ${NAMESPACE}`;
        },
      },
    ],
  },
  faulty: () => [certificate((name) => ({ generateName: `${name}-` }))],
  corrected: () => [certificate((name) => ({ name: `${name}-key` }))],
  // Before this operator comes to rest, which would show it, too.
  breaks: 'nothing is created twice',
  deviations: 1,
};

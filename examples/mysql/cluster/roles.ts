import { controller, isNotFound, source } from 'chancery';
import { pods } from 'chancery/kubernetes';
import { CLUSTER, ROLE } from '../labels.ts';

/**
 * Labels each Pod with what it is in its cluster, for the Service of the readers to select. The template
 * cannot: it is the same for every ordinal.
 */
export const roleController = controller({
  name: 'mysql-roles',
  for: source(pods, { labelSelector: CLUSTER, metadataOnly: true }),
  permissions: [{ resource: pods, verbs: ['patch'] }],
  async reconcile(pod, { client }) {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const { name, uid, labels } = pod.metadata;
    const role = roleOf(name);
    if (role === undefined || labels?.[ROLE] === role) return;
    const body = { metadata: { uid, labels: { [ROLE]: role } } };
    try {
      await client.patch(pods, pod.metadata, { type: 'merge', body });
    } catch (error) {
      if (!isNotFound(error)) throw error; // it went meanwhile
    }
  },
});

/** Ordinal 0 is the primary, for ever: nobody fails over. */
export function roleOf(pod: string): 'primary' | 'replica' | undefined {
  const ordinal = /-(\d+)$/.exec(pod)?.[1];
  if (ordinal === undefined) return undefined;
  return Number(ordinal) === 0 ? 'primary' : 'replica';
}

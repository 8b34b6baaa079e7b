/**
 * An operator that fails as ConfigMaps say: `data.do` names the fault. Without it the ConfigMap is
 * reconciled again and again, so that there is ordinary work beside each fault.
 */
import { controller, deny, source, validatingWebhook } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';

export const clerk = controller({
  name: 'clerk',
  for: source(configMaps),
  reads: [source(secrets)],
  maxConcurrentReconciles: 4,
  permissions: [{ resource: configMaps, verbs: ['get', 'patch'] }],
  async reconcile({ data, metadata }, { client, event }) {
    const { name = '', namespace = '' } = metadata;
    switch (data?.do) {
      case 'fail':
        throw new Error('as asked');
      case 'panic':
        throw new TypeError('as asked');
      case 'hang':
        return await new Promise<never>(() => {});
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, 100));
        return { requeueAfterMs: 1 };
      case 'block':
        blockFor(1_500);
        return { requeueAfterMs: 500 };
      case 'loop': {
        const body = { metadata: { annotations: { 'example.dev/at': String(performance.now()) } } };
        await client.patch(configMaps, { name, namespace }, { type: 'merge', body });
        return;
      }
      case 'tell':
        event('Warning', 'Asked', `as asked at ${performance.now()}`);
        return { requeueAfterMs: 100 };
      case 'ask':
        // The toolkit asks again and again until the signal ends that.
        await client
          .get(configMaps, { name: 'broken', namespace }, { signal: AbortSignal.timeout(300) })
          .catch(() => undefined);
        return { requeueAfterMs: 100 };
      default:
        return { requeueAfterMs: 300 };
    }
  },
});

export const names = validatingWebhook({
  name: 'names.clerk.example.dev',
  resource: configMaps,
  validate({ object }) {
    if (object.data?.do === 'throw') throw new Error('as asked');
    return object.data?.do === 'deny' ? deny('as asked') : undefined;
  },
});

export default [clerk, names];

function blockFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

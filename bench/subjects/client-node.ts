/** `@kubernetes/client-node`: its informer; in mode `idle` 50 of them. It parses every object, whatever is read of it. */
import { configuration, handled, imported, read, synced } from './child.ts';

const { CoreV1Api, CustomObjectsApi, KubeConfig, makeInformer } = await import(
  '@kubernetes/client-node'
);
imported();
const { NAMESPACE, pathOf } = await import('../../test/support/load/profile.ts');
const { profileNamed } = await import('../../test/support/load/profiles.ts');

const WATCHES = 50;

const profile = profileNamed(configuration.profile);
const { group, version, plural } = profile;
const config = new KubeConfig();
// As in a cluster, where no file is parsed either; plain HTTP is refused while certificates are checked.
config.loadFromOptions({
  clusters: [{ name: 'bench', server: configuration.url, skipTLSVerify: true }],
  users: [{ name: 'bench' }],
  contexts: [{ name: 'bench', cluster: 'bench', user: 'bench' }],
  currentContext: 'bench',
});
const core = config.makeApiClient(CoreV1Api);
const custom = config.makeApiClient(CustomObjectsApi);

type Listed = Awaited<ReturnType<typeof core.listNamespacedPod>>;

async function list(namespace: string): Promise<Listed> {
  if (plural === 'pods') return await core.listNamespacedPod({ namespace });
  const listed =
    plural === 'configmaps'
      ? await core.listNamespacedConfigMap({ namespace })
      : await custom.listNamespacedCustomObject({ group, version, namespace, plural });
  return listed as Listed; // the informer looks at metadata alone
}

function informerOf(namespace: string): ReturnType<typeof makeInformer> {
  const informer = makeInformer(config, pathOf(profile, namespace), () => list(namespace));
  for (const verb of ['add', 'update', 'delete'] as const) {
    informer.on(verb, (object) => {
      read(object);
      handled(object.metadata?.name ?? '');
    });
  }
  informer.on('error', (error) => {
    throw error instanceof Error ? error : new Error(String(error));
  });
  return informer;
}

const namespaces =
  configuration.mode === 'idle'
    ? Array.from({ length: WATCHES }, (_, index) => `bench-${index}`)
    : [NAMESPACE];
const informers = namespaces.map(informerOf);
await Promise.all(informers.map((informer) => informer.start()));
synced(configuration.objects * informers.length);

/** `kubernetes-fluent-client`: its Watcher. It says nothing of a first list: its objects are counted. */
import { configuration, handled, imported, read, synced } from './child.ts';

const { GenericKind, K8s, kind, RegisterKind } = await import('kubernetes-fluent-client');
imported();
const { NAMESPACE } = await import('../../test/support/load/profile.ts');
const { profileNamed } = await import('../../test/support/load/profiles.ts');

class Widget extends GenericKind {}
const profile = profileNamed(configuration.profile);
if (profile.group !== '') RegisterKind(Widget, profile);
const model = { pods: kind.Pod, configmaps: kind.ConfigMap }[profile.plural] ?? Widget;

let objects = 0;
await K8s(model as typeof kind.Pod)
  .InNamespace(NAMESPACE)
  .Watch(
    (object) => {
      read(object);
      handled(object.metadata?.name ?? '');
      if (++objects === configuration.objects) synced(objects);
    },
    { resyncDelaySec: 1 },
  )
  .start();

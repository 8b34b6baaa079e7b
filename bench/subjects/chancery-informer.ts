/** Ours: an informer. Mode `envelope` reads the key of each change, `object` every object. */
import { chancery, internals, lowLevel } from './chancery.ts';
import { configuration, handled, imported, read, synced } from './child.ts';

imported();
const { NAMESPACE } = await import('../../test/support/load/profile.ts');
const { profileNamed } = await import('../../test/support/load/profiles.ts');
const { defineResource, dropManagedFields, splitKey } = chancery;
const { Informer, listWatch, systemClock, undiciTransport } = lowLevel;
const { transformed } = internals;

const { group, version, plural, kind } = profileNamed(configuration.profile);
const resource = defineResource({ group, version, plural, kind, namespaced: true });
const source = listWatch(undiciTransport(configuration.url), resource, {
  namespace: NAMESPACE,
});
const informer = new Informer(
  transformed(source, dropManagedFields), // as the sources of controllers do
  {
    statusChanged() {},
    drifted() {},
    handlerFailed(error) {
      throw error;
    },
  },
  { clock: systemClock, relistIntervalMs: 0 },
);
const wholeObjects = configuration.mode === 'object';
const registration = informer.addHandler((changes) => {
  for (const change of changes) {
    if (wholeObjects) read(change.object);
    handled(splitKey(change.key).name);
  }
});
const { signal } = new AbortController();
void informer.run(signal);
await informer.until(() => registration.synced, signal); // the handler was shown all of it, too
synced(informer.size().objects);

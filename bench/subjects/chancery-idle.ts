/** Ours: 50 informers that watch, and nothing happens. */
import { chancery, internals, lowLevel } from './chancery.ts';
import { configuration, imported, synced } from './child.ts';

/** An operator of many parts, or one for many namespaces. */
const WATCHES = 50;

imported();
const { profileNamed } = await import('../../test/support/load/profiles.ts');
const { defineResource } = chancery;
const { Informer, listWatch, systemClock, undiciTransport } = lowLevel;
const { ListLimiter } = internals;

const { group, version, plural, kind } = profileNamed(configuration.profile);
const resource = defineResource({ group, version, plural, kind, namespaced: true });
const transport = undiciTransport(configuration.url);
const limiter = new ListLimiter({ clock: systemClock });
const { signal } = new AbortController();
const informers = Array.from({ length: WATCHES }, (_, index) => {
  const source = listWatch(transport, resource, { namespace: `bench-${index}` });
  const observer = { statusChanged() {}, drifted() {}, handlerFailed() {} };
  return new Informer(source, observer, { clock: systemClock, limiter });
});
for (const informer of informers) void informer.run(signal);
await Promise.all(informers.map((informer) => informer.until(() => informer.synced, signal)));
synced(informers.reduce((sum, informer) => sum + informer.size().objects, 0));

/**
 * Many informers over as many namespaces, one transport and one limiter: `URL PROFILE MODE OBJECTS SOURCES`,
 * and LISTS for another number of lists at a time. An event is seen when every informer has told of it.
 * `{"do":"states"}` answers with the states that the caches are in: one, when all are equal.
 */
import { digestOf } from '../../test/support/load/state.ts';
import { internals, lowLevel } from './chancery.ts';
import { onCommand, onExpectation, seen, synced } from './child.ts';
import { go } from './scale-start.ts';

const { NAMESPACE } = await import('../../test/support/load/profile.ts');
const { informerOf, stateOf } = await import('./scale-informer.ts');
const { ListLimiter } = internals;
const { systemClock } = lowLevel;

const [sources = '1', lists] = process.argv.slice(6);
const limiter = new ListLimiter({
  clock: systemClock,
  ...(lists !== undefined && { concurrentLists: Number(lists) }),
});
let expected = '';
let tellers = 0;
onExpectation(({ marker }) => {
  expected = `${NAMESPACE}/${marker}`;
  tellers = 0;
});

const informers = Array.from({ length: Number(sources) }, (_, index) =>
  informerOf(`bench-${index}`, limiter),
);
for (const informer of informers) {
  informer.addHandler((changes) => {
    for (const { key } of changes) if (key === expected && ++tellers === informers.length) seen();
  });
}
onCommand('states', () => ({
  is: 'states',
  digests: [...new Set(informers.map(({ store }) => digestOf(store.list().map(stateOf))))],
}));
const { signal } = new AbortController();
await go();
for (const informer of informers) void informer.run(signal);
await Promise.all(informers.map((informer) => informer.until(() => informer.synced, signal)));
synced(informers.reduce((sum, informer) => sum + informer.size().objects, 0));

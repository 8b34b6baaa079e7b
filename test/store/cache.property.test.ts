import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WatchEvent } from '../../operator/model/entry.ts';
import { Entry } from '../../operator/model/entry.ts';
import type { ObjectKey } from '../../operator/model/object.ts';
import { Cache } from '../../operator/store/cache.ts';
import type { Change } from '../../operator/store/change.ts';

/** What a server may do to three names, and what a client may be shown of it. */
const step = fc.oneof(
  fc.record({
    do: fc.constantFrom('put' as const, 'remove' as const),
    name: fc.constantFrom('a', 'b', 'c'),
  }),
  fc.record({ do: fc.constantFrom('deliver' as const, 'replay' as const, 'list' as const) }),
);

function objectsIn(entries: ReadonlyMap<ObjectKey, Entry>): ReadonlyMap<ObjectKey, object> {
  return new Map(Array.from(entries, ([key, { object }]) => [key, object]));
}

test('changes replayed on an empty map always equal the cache, and at the end the cache equals the server', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const server = new Map<string, Entry>();
      const history: WatchEvent[] = [];
      const cache = new Cache();
      const mirror = new Map<ObjectKey, Entry>();
      let revision = 8; // so that numbers grow a digit on the way
      let uid = 0;
      let delivered = 0;

      function take(changes: readonly Change[]): void {
        for (const change of changes) {
          const known = mirror.get(change.key);
          if (change.type === 'add') expect(known).toBeUndefined();
          else expect(known).toBeDefined();
          if (change.type === 'update') {
            expect(change.old).toBe(known);
            expect(change.entry.uid).toBe(known?.uid);
            expect(change.entry.resourceVersion).not.toBe(known?.resourceVersion);
          }
          if (change.type === 'delete') mirror.delete(change.key);
          else mirror.set(change.key, change.entry);
        }
        expect(objectsIn(mirror)).toEqual(objectsIn(cache.entries ?? new Map()));
      }
      function version(name: string, of: string): Entry {
        const metadata = { name, uid: of, resourceVersion: String(++revision) };
        return Entry.of({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      }
      const list = (): void => {
        take(cache.replace([...server.values()]));
        delivered = history.length;
      };

      list();
      for (const { do: what, ...rest } of steps) {
        const name = 'name' in rest ? rest.name : '';
        const old = server.get(name);
        if (what === 'put') {
          const entry = version(name, old?.uid ?? `uid-${++uid}`);
          server.set(name, entry);
          history.push({ type: old === undefined ? 'ADDED' : 'MODIFIED', entry });
        } else if (what === 'remove' && old !== undefined) {
          server.delete(name);
          history.push({ type: 'DELETED', entry: version(name, old.uid) });
        } else if (what === 'deliver' && delivered < history.length) {
          const event = history[delivered++];
          if (event !== undefined) take(cache.apply(event));
        } else if (what === 'replay') {
          for (const event of history.slice(Math.max(0, delivered - 3), delivered)) {
            take(cache.apply(event));
          }
        } else if (what === 'list') list();
      }
      list();

      const wanted = [...server.values()].map((entry) => [entry.key, entry] as const);
      expect(objectsIn(cache.entries ?? new Map())).toEqual(objectsIn(new Map(wanted)));
    }),
  );
});

import { createHash } from 'node:crypto';
import { source } from '../../controller/source.ts';
import type { Jq } from '../../jq/jq.ts';
import type { MakeSource } from './watch-plan.ts';

const cache = new WeakMap<object, string>();

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

export function filteredSource(
  ...[resource, selection, _wants, _jq]: [...Parameters<MakeSource>, Jq]
): ReturnType<MakeSource> {
  return {
    source: source(resource, { ...selection, transform: (object) => object }),
    bindingObject(entry) {
      const objectText = cache.get(entry) ?? JSON.stringify(sorted(entry.object));
      cache.set(entry, objectText);
      const checksum = createHash('sha256').update(objectText).digest('base64');
      return { key: entry.key, objectText, filterText: undefined, checksum };
    },
  };
}

import { type CacheSize, neededMemory } from '../cache-memory.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import { variable } from '../fields.ts';
import type { PlacedContainer } from '../installation.ts';
import { quantity } from '../quantity.ts';

const CACHE_LESS = 'or cache less (a selector, a transform, metadataOnly)';

/** Looks only where the size of the caches is known. A limit that is missing is for `memory-limits`. */
export const operatorMemory: Rule = {
  id: 'operator-memory-limit',
  check: ({ operator, caches }): readonly Problem[] => {
    const text = operator?.container.resources?.limits?.memory;
    if (operator === undefined || caches === undefined || text === undefined) return [];
    const path = `${operator.path}.resources.limits.memory`;
    const limit = quantity(text);
    const heap = heapSet(operator, limit);
    const needed = neededMemory(caches, { heapIsSet: heap !== undefined });
    const { heapBytes, heapFlagMiB } = needed;
    const why = (needs: string): string =>
      `${held(caches)}, and a list in which all of them have changed may need ${needs}`;
    const problems: Problem[] = [];
    if (limit === undefined || limit < needed.limitBytes) {
      problems.push({
        level: 'warning',
        path,
        wrong: `is ${limit === undefined ? `${JSON.stringify(text)}, no quantity` : text}`,
        why: why(needed.limit),
        todo: `set ${needed.limit} or more, ${CACHE_LESS}`,
      });
    }
    if (heapFlagMiB !== undefined && (heap ?? 0) < heapBytes) {
      const wrong = heap === undefined ? 'has no --max-old-space-size' : 'has a small heap';
      problems.push({
        level: 'warning',
        path: `${operator.path}.env[NODE_OPTIONS]`,
        wrong,
        why: why(`${heapFlagMiB} MiB of heap`),
        todo: `set --max-old-space-size=${heapFlagMiB}, ${CACHE_LESS}`,
      });
    }
    return problems;
  },
};

/** Bytes of the heap that the container asks for; undefined where Node chooses. */
function heapSet({ container }: PlacedContainer, limit: number = 0): number | undefined {
  const words = [
    variable(container, 'NODE_OPTIONS')?.value ?? '',
    ...(container.command ?? []),
    ...(container.args ?? []),
  ].join(' ');
  const [, percentage, value] =
    /--max[-_]old[-_]space[-_]size([-_]percentage)?[= ]([0-9]+)/.exec(words) ?? [];
  if (value === undefined) return undefined;
  return percentage === undefined ? Number(value) * 2 ** 20 : (Number(value) / 100) * limit;
}

function held({ objects, bytes }: CacheSize): string {
  const count = `${objects} ${objects === 1 ? 'object' : 'objects'}`;
  return `the caches hold ${count} of ${(bytes / 1e6).toFixed(1)} MB`;
}

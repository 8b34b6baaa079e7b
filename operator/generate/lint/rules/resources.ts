import { type CacheSize, goBytes, neededMemory, quantity } from '../cache-memory.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import { type PlacedContainer, variable } from '../installation.ts';

export const memoryLimits: Rule = {
  id: 'memory-limits',
  check: ({ containers }) =>
    containers.flatMap(({ container, path }): readonly Problem[] => {
      const { requests, limits } = container.resources ?? {};
      const missing = (['cpu', 'memory'] as const)
        .filter((name) => requests?.[name] === undefined)
        .map((name) => ({
          level: 'warning' as const,
          path: `${path}.resources.requests.${name}`,
          wrong: 'is missing',
          why: 'the scheduler puts the Pod where there may be none left',
          todo: 'ask for what it uses when nothing happens',
        }));
      if (limits?.memory !== undefined) return missing;
      return [
        ...missing,
        {
          path: `${path}.resources.limits.memory`,
          wrong: 'is missing',
          why: 'one container could take the memory of the node',
          todo: 'set a limit',
        },
      ];
    }),
};

export const memoryHeadroom: Rule = {
  id: 'proxy-memory-headroom',
  check: ({ proxy: { container, path } }): readonly Problem[] => {
    const limit = quantity(container.resources?.limits?.memory);
    if (limit === undefined) return [];
    const text = variable(container, 'GOMEMLIMIT')?.value;
    const soft = goBytes(text ?? '');
    if (soft !== undefined && soft < limit) return [];
    return [
      {
        ...(text === undefined && { level: 'warning' as const }),
        path: `${path}.env[GOMEMLIMIT]`,
        wrong: text === undefined ? 'is missing' : `is ${text}, not below the memory limit`,
        why: 'kubectl collects garbage only when the kernel has already ended it',
        todo: 'set three quarters of the limit, as 96MiB for 128Mi',
      },
    ];
  },
};

/**
 * Minimum CPU limit. One request costs 60 to 190 µs of CPU. With a lower limit, a burst of requests
 * uses up the CPU time of a period of 100 ms, and then waits for the next period.
 */
const MIN_CPU = 0.2;

export const proxyCpuLimit: Rule = {
  id: 'proxy-cpu-limit',
  check: ({ proxy: { container, path } }): readonly Problem[] => {
    const limit = quantity(container.resources?.limits?.cpu);
    if (limit === undefined || limit >= MIN_CPU) return [];
    return [
      {
        level: 'warning',
        path: `${path}.resources.limits.cpu`,
        wrong: `is ${container.resources?.limits?.cpu}`,
        why: 'every request of the operator waits for it, the renewal of its Lease as well',
        todo: 'leave it out, or set 200m or more',
      },
    ];
  },
};

const CACHE_LESS = 'or cache less (a selector, a transform, metadataOnly)';

/**
 * Checks the memory limit when the size of the caches is known. `memory-limits` reports a missing
 * limit.
 */
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

/**
 * The heap size in bytes that the options of the container set. Undefined when Node chooses the
 * size.
 */
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

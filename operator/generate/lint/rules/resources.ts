import type { Problem, Rule } from '../diagnostic.ts';
import { variable } from '../fields.ts';
import { goBytes, quantity } from '../quantity.ts';

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

/** One request costs 60 to 190 µs of CPU; below this a burst waits for its next slice of 100 ms. */
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

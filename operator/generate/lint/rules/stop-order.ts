import type { Problem, Rule } from '../diagnostic.ts';
import { variable } from '../fields.ts';
import type { Installation } from '../installation.ts';

/** What `chancery run` takes at most when CHANCERY_SHUTDOWN_TIMEOUT does not say otherwise. */
const DEFAULT_SHUTDOWN_SECONDS = 25;

/** What the kubelet gives a Pod that says nothing. */
const DEFAULT_GRACE_SECONDS = 30;

export const stopOrder: Rule = {
  id: 'stop-order',
  check: (installation) => {
    const { proxy, kind } = installation;
    if (kind === 'Job' || kind === 'CronJob') return [];
    return proxy.isInit ? ofSidecar(installation) : ofPlain(installation);
  },
};

function ofPlain(installation: Installation): readonly Problem[] {
  const { container, path } = installation.proxy;
  const budget = budgetOf(installation);
  const sleep = container.lifecycle?.preStop?.sleep?.seconds;
  if (sleep === undefined || sleep < budget) {
    return [
      {
        path: `${path}.lifecycle.preStop.sleep.seconds`,
        wrong: sleep === undefined ? 'is missing' : `is ${sleep}`,
        why: `both containers are told to stop at once, and the operator may still write for ${budget} s`,
        todo: `set ${budget}, or use the component native-sidecar`,
      },
    ];
  }
  return grace(installation, sleep, 'the ambassador sleeps so long before it stops');
}

function ofSidecar(installation: Installation): readonly Problem[] {
  const { container, path } = installation.proxy;
  const problems: Problem[] = [];
  if (container.restartPolicy !== 'Always') {
    problems.push({
      path: `${path}.restartPolicy`,
      wrong: 'is not Always',
      why: 'an ordinary init container never ends here, and the operator never starts',
      todo: 'set restartPolicy: Always',
    });
  }
  if (container.lifecycle?.preStop != null) {
    problems.push({
      path: `${path}.lifecycle.preStop`,
      wrong: 'is there',
      why: 'it runs at the beginning of the stop, while the kubelet already keeps the order',
      todo: 'leave it out',
    });
  }
  const budget = budgetOf(installation);
  return [...problems, ...grace(installation, budget, 'the operator may take so long to stop')];
}

function grace({ pod }: Installation, seconds: number, why: string): readonly Problem[] {
  const { terminationGracePeriodSeconds: given = DEFAULT_GRACE_SECONDS } = pod;
  if (given > seconds) return [];
  return [
    {
      path: 'terminationGracePeriodSeconds',
      wrong: `is ${given}, no more than ${seconds}`,
      why: `${why}, and is killed at the end of the grace period`,
      todo: `set ${seconds + 15}`,
    },
  ];
}

/** Seconds that the operator may take: 0 for an operator that waits for nothing. */
function budgetOf({ operator, pod }: Installation): number {
  const text = variable(operator?.container, 'CHANCERY_SHUTDOWN_TIMEOUT')?.value ?? '';
  const seconds = text === '' ? DEFAULT_SHUTDOWN_SECONDS : Number(text);
  if (seconds >= 0) return seconds;
  // As long as it takes: the kubelet alone ends it.
  return Math.max((pod.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) - 1, 0);
}

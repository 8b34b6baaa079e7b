import { isOwnAmbassador } from '../../../access/filter/ambassador-image.ts';
import type { Container, Probe } from '../../../model/kubernetes/core-v1.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import { type Installation, portOf, variable } from '../installation.ts';
import { ambassadorKubeconfig } from '../kubeconfig.ts';
import { readable } from '../path-pattern.ts';

const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;

/**
 * Minimum time for which a probe must fail before the container is restarted. A restart rarely
 * helps, and an outage of the API server is no reason for one.
 */
const PATIENCE_SECONDS = 300;

export const proxyProbes: Rule = {
  id: 'proxy-probes',
  check: (installation) => {
    const { container, path } = installation.proxy;
    const found = PROBES.flatMap((field) => {
      const probe = container[field];
      return probe == null ? [] : ofProbe(probe, `${path}.${field}`, installation);
    });
    if (container.startupProbe != null) return [...found, ...impatient(container, path)];
    return [
      ...found,
      ...impatient(container, path),
      {
        path: `${path}.startupProbe`,
        wrong: 'is missing',
        why: 'without credentials kubectl talks to localhost:8080 and does not complain',
        todo: `exec [${command(installation).join(', ')}]`,
      },
    ];
  },
};

function ofProbe(probe: Probe, path: string, installation: Installation): readonly Problem[] {
  const todo = `exec [${command(installation).join(', ')}]`;
  const words = probe.exec?.command;
  if (words == null) {
    const wrong = 'is no exec probe';
    const why = "the kubelet asks the Pod's address, where the ambassador must not listen";
    return [{ path, wrong, why, todo }];
  }
  const [program = '', ...args] = words;
  if (!/(?:^|\/)kubectl$/.test(program)) {
    const wrong = `runs ${program}`;
    return [{ path, wrong, why: 'the image has kubectl and nothing else', todo }];
  }
  if (isElsewhere(program, installation)) {
    return [{ path, wrong: `runs ${program}`, why: 'the image has kubectl elsewhere', todo }];
  }
  if (installation.socket !== undefined) {
    const flag = args.find((word) => word.startsWith('-') && !word.startsWith('--raw='));
    if (flag === undefined) return [];
    const why =
      'kubectl cannot dial a Unix socket, and with a flag it finds no credentials of a Pod';
    return [{ path, wrong: `gives ${flag}`, why, todo }];
  }
  return throughAmbassador(args, path, installation);
}

/**
 * True when the image does not contain the program at this path. Our own image has /kubectl and no
 * PATH. Other images of kubectl have it in different folders of their PATH.
 */
function isElsewhere(program: string, { kubectl, proxy }: Installation): boolean {
  if (kubectl === undefined) {
    return isOwnAmbassador(proxy.container.image ?? '') && program !== '/kubectl';
  }
  return program === '/kubectl' && kubectl !== program;
}

function throughAmbassador(
  args: readonly string[],
  path: string,
  installation: Installation,
): readonly Problem[] {
  const todo = `exec [${command(installation).join(', ')}]`;
  const server = `--server=http://127.0.0.1:${portOf(installation)}`;
  if (!args.includes(server)) {
    const why = 'with the credentials of the Pod it would ask the API server past the ambassador';
    return [{ path, wrong: `does not have ${server}`, why, todo }];
  }
  const raw = args.find((word) => word.startsWith('--raw='))?.slice('--raw='.length) ?? '';
  if (readable(installation.accepted).some(({ expression }) => expression.test(raw))) return [];
  const why = 'the filter refuses it, so the probe always fails';
  return [{ path, wrong: `asks for ${JSON.stringify(raw)}`, why, todo }];
}

function impatient({ livenessProbe }: Container, path: string): readonly Problem[] {
  if (livenessProbe == null) return [];
  const { periodSeconds = 10, failureThreshold = 3 } = livenessProbe;
  const seconds = periodSeconds * failureThreshold;
  if (seconds >= PATIENCE_SECONDS) return [];
  return [
    {
      path: `${path}.livenessProbe`,
      wrong: `gives up after ${seconds} s`,
      why: 'an API server that is away is no reason to restart the ambassador',
      todo: 'set periodSeconds: 30 and failureThreshold: 20',
    },
  ];
}

/**
 * The command of a probe. If the ambassador listens on a unix socket, kubectl cannot connect to it.
 * In that case, the probe bypasses the ambassador, and tests only the credentials.
 */
function command(installation: Installation): readonly string[] {
  const { kubectl = '/kubectl', socket } = installation;
  if (socket !== undefined) return [kubectl, 'get', '--raw=/version'];
  const server = `--server=http://127.0.0.1:${portOf(installation)}`;
  return [kubectl, server, 'get', '--raw=/version', '--request-timeout=3s'];
}

export const operatorProbes: Rule = {
  id: 'operator-probes',
  check: (installation): readonly Problem[] => {
    const { operator } = installation;
    if (operator === undefined) return [];
    const { container, path } = operator;
    const missing = (['livenessProbe', 'readinessProbe'] as const)
      .filter((field) => container[field] == null)
      .map((field) => ({
        level: 'warning' as const,
        path: `${path}.${field}`,
        wrong: 'is missing',
        why: 'an operator that hangs, or that has no first list, goes unnoticed',
        todo: `httpGet ${field === 'livenessProbe' ? '/healthz' : '/readyz'} on its health port`,
      }));
    if (!asksAmbassador(container.livenessProbe, portOf(installation))) return missing;
    return [
      ...missing,
      {
        path: `${path}.livenessProbe`,
        wrong: 'depends on the ambassador',
        why: 'the wrong container would be restarted when the ambassador, or the API server, is away',
        todo: 'httpGet /healthz on its health port',
      },
    ];
  },
};

/** True when the probe reads `/readyz` of the ambassador, which tells whether requests succeed. */
function asksAmbassador(probe: Probe | null | undefined, port: string): boolean {
  if (probe == null) return false;
  const words = (probe.exec?.command ?? []).join(' ');
  const target = probe.httpGet ?? probe.tcpSocket;
  return (
    /(?:^|[/\s])kubectl(?:\s|$)/.test(words) ||
    words.includes(`:${port}`) ||
    String(target?.port ?? '') === port ||
    probe.httpGet?.path?.startsWith('/readyz') === true
  );
}

/**
 * The time limit for the shutdown of `chancery run` in seconds, unless CHANCERY_SHUTDOWN_TIMEOUT sets another
 * limit.
 */
const DEFAULT_SHUTDOWN_SECONDS = 25;

/** The kubelet's default grace period. */
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
        why: `both containers get SIGTERM at the same time, and the operator may still write for ${budget} s`,
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
      wrong: 'is set',
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

/** Seconds that the operator may take to stop. 0 for an operator that stops at once. */
function budgetOf(installation: Installation): number {
  const { operator, pod } = installation;
  const text = variable(operator?.container, 'CHANCERY_SHUTDOWN_TIMEOUT')?.value ?? '';
  const seconds = text === '' ? DEFAULT_SHUTDOWN_SECONDS : Number(text);
  const isOurs = ambassadorKubeconfig(installation) === undefined;
  if (isOurs && seconds >= 0) return seconds;
  // This operator does not end by itself: only the kubelet ends it.
  return Math.max((pod.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) - 1, 0);
}

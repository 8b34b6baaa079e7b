import type { Container, Probe } from '../../../model/kubernetes/core-v1.ts';
import { readable } from '../accepted.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import { portOf } from '../fields.ts';
import type { Installation } from '../installation.ts';

const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;

/** A restart heals little, and an outage of the API server is no reason for one. */
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
  if (installation.socket !== undefined) {
    const flag = args.find((word) => word.startsWith('-') && !word.startsWith('--raw='));
    if (flag === undefined) return [];
    const why =
      'kubectl cannot dial a Unix socket, and with a flag it finds no credentials of a Pod';
    return [{ path, wrong: `gives ${flag}`, why, todo }];
  }
  return throughAmbassador(args, path, installation);
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

/** Past a socket, which kubectl cannot dial, it tries at least the credentials. */
function command(installation: Installation): readonly string[] {
  if (installation.socket !== undefined) return ['/kubectl', 'get', '--raw=/version'];
  const server = `--server=http://127.0.0.1:${portOf(installation)}`;
  return ['/kubectl', server, 'get', '--raw=/version', '--request-timeout=3s'];
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
        why: 'nobody notices an operator that hangs, or that has no first list',
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

/** `/readyz` says whether requests work. */
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

/**
 * The main job, without a cluster: an API server in this process, a real `kubectl proxy` in front of
 * it, and the shipped operator behind that. A ConfigMap changes, and the Pods that use it are rolled.
 */

import { ApiServer, eventually } from '@chancery/testing';
import { configMaps } from 'chancery/kubernetes';
import { restClient, systemClock, undiciTransport } from 'chancery/low-level';
import { type Ambassador, startAmbassador } from '../try/ambassador.ts';
import { type LogLine, OperatorProcess } from '../try/operator-process.ts';
import { Timeline } from '../try/timeline.ts';
import { applySample, NAMESPACE, prepare } from './example.ts';
import { filterOf } from './filter.ts';
import { PodWatch } from './pod-watch.ts';

const CONFIG_MAP = 'webapp-config';
/** Where the operator keeps what it has acted on. */
const STATE = 'config-restart-state';
const MODULE = new URL('../config-restart/operator.ts', import.meta.url);
const REPLICAS = 3;
const LIMIT_MS = 25_000;

/** What the operator's log says, in the words of the timeline. */
function tellOf(timeline: Timeline): (line: LogLine) => void {
  return ({ level, msg, key, kind, name }) => {
    const about = kind === undefined ? key : `${kind} ${name}`;
    if (about !== undefined || level === 'warn' || level === 'error') {
      timeline.tell('operator', about === undefined ? msg : `${msg}: ${about}`);
    }
  };
}

async function main(): Promise<number> {
  const timeline = new Timeline(process.stdout);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('interrupted')));
  process.once('SIGTERM', () => stop.abort(new Error('terminated')));
  const limit = AbortSignal.timeout(LIMIT_MS);
  const deadline = AbortSignal.any([stop.signal, limit]);
  timeline.say('A ConfigMap changes, and the Pods that use it are rolled. No cluster needed.\n');

  const server = await ApiServer.start({ workloads: { podReadyMs: 400, podStopMs: 200 } });
  timeline.tell('API server', `embedded in this process, at ${server.url}`);
  await prepare(server);
  const transport = undiciTransport(server.url);
  let ambassador: Ambassador | undefined;
  let operator: OperatorProcess | undefined;
  try {
    ambassador = await startAmbassador(server.url, filterOf(NAMESPACE), timeline);
    operator = await OperatorProcess.start(
      { module: MODULE, apiUrl: ambassador.url, namespace: NAMESPACE },
      tellOf(timeline),
    );
    await operator.ready(deadline);
    timeline.tell(
      'operator',
      `chancery run examples/config-restart/operator.ts (pid ${operator.pid})`,
    );
    timeline.tell('operator', `is ready; all it knows is ${ambassador.url}: no token, no TLS`);

    const podWatch = new PodWatch(transport, NAMESPACE, timeline);
    const watching = podWatch.run(stop.signal);
    await applySample(server);
    timeline.tell('you', 'kubectl apply -f examples/config-restart/sample/web-app.yaml');
    const before = await podWatch.allReady(REPLICAS, [], deadline);
    // What the operator sees first is its baseline, whatever it is: let it see the old message.
    await eventually(() => server.get('v1', 'ConfigMap', NAMESPACE, STATE) !== undefined);

    const you = restClient({ transport, fieldManager: 'you', clock: systemClock });
    const target = { namespace: NAMESPACE, name: CONFIG_MAP };
    const body = { data: { message: 'Good evening' } };
    await you.patch(configMaps, target, { type: 'merge', body }, { signal: deadline });
    timeline.tell('you', `change the message in ConfigMap ${CONFIG_MAP}`);
    await podWatch.allReady(REPLICAS, before, deadline);
    timeline.tell('cluster', `all ${REPLICAS} Pods are new: they run with the new message`);

    timeline.say(`
Look at it:   ${ambassador.url}/api/v1/namespaces/${NAMESPACE}/configmaps   (what the operator may see)
              ${server.url}/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events
              ${operator.healthUrl}?verbose
`);
    if (process.stdout.isTTY) {
      timeline.say(`Change it:    kubectl --server=${server.url} -n ${NAMESPACE} patch cm ${CONFIG_MAP} --type=merge -p '{"data":{"message":"again"}}'
It stays up until you press Ctrl-C.`);
      await new Promise<void>((resolve) =>
        stop.signal.addEventListener('abort', () => resolve(), { once: true }),
      );
    } else timeline.say('Done. On a terminal it stays up, and these URLs can be looked at.');
    stop.abort();
    await watching;
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    const why = limit.aborted ? `not done after ${LIMIT_MS / 1_000} s` : String(error);
    process.stderr.write(`\nthe demo failed: ${why}\n`);
    for (const line of operator?.tail ?? []) process.stderr.write(`operator: ${line}\n`);
    return 1;
  } finally {
    stop.abort();
    await operator?.stop();
    await ambassador?.kill();
    await transport.close();
    await server.close();
  }
}

process.exitCode = await main();

/** Overlays with wrong probes, or with a wrong order of the stop. */
import { plain, sidecar } from '../good.ts';
import { type Canary, OPERATOR, POD, PROXY, withVariable } from './canary.ts';

export const PROBES_AND_STOP: readonly Canary[] = [
  {
    rule: 'proxy-probes',
    does: 'has no startup probe of the ambassador',
    at: `${PROXY}.startupProbe`,
    broken: () => plain().remove('proxy.startupProbe'),
  },
  {
    rule: 'proxy-probes',
    does: 'probes the ambassador by HTTP',
    at: `${PROXY}.readinessProbe`,
    broken: () =>
      plain().set('proxy.readinessProbe', { httpGet: { path: '/version', port: 8001 } }),
  },
  {
    rule: 'proxy-probes',
    does: 'probes the ambassador with a shell',
    at: `${PROXY}.startupProbe`,
    broken: () =>
      plain().set('proxy.startupProbe.exec.command', ['sh', '-c', 'wget localhost:8001']),
  },
  {
    rule: 'proxy-probes',
    does: 'probes the API server without the ambassador',
    at: `${PROXY}.startupProbe`,
    broken: () =>
      plain().set('proxy.startupProbe.exec.command', ['/kubectl', 'get', '--raw=/version']),
  },
  {
    rule: 'proxy-probes',
    does: 'probes a path that the filter refuses',
    at: `${PROXY}.startupProbe`,
    broken: () => plain().set('proxy.startupProbe.exec.command.3', '--raw=/readyz'),
  },
  {
    rule: 'proxy-probes',
    does: 'restarts the ambassador when the API server restarts',
    at: `${PROXY}.livenessProbe`,
    broken: () => plain().remove('proxy.livenessProbe.failureThreshold'),
  },
  ...(
    [
      ['sends a request to the ambassador', { httpGet: { path: '/version', port: 8001 } }],
      ['asks for its readiness', { httpGet: { path: '/readyz', port: 'health' } }],
      ['connects to the port of the ambassador', { tcpSocket: { port: 8001 } }],
      ['asks port 8001 by curl', { exec: { command: ['curl', 'http://127.0.0.1:8001/version'] } }],
    ] as const
  ).map(([does, probe]) => ({
    rule: 'operator-probes',
    does: `has a liveness probe of the operator that ${does}`,
    at: `${OPERATOR}.livenessProbe`,
    broken: () => plain().set('operator.livenessProbe', probe),
  })),
  ...['livenessProbe', 'readinessProbe'].map((field) => ({
    rule: 'operator-probes',
    does: `has no ${field} of the operator`,
    at: `${OPERATOR}.${field}`,
    level: 'warning' as const,
    broken: () => plain().remove(`operator.${field}`),
  })),
  {
    rule: 'stop-order',
    does: 'stops the ambassador without a preStop hook',
    at: `${PROXY}.lifecycle.preStop.sleep.seconds`,
    broken: () => plain().remove('proxy.lifecycle'),
  },
  {
    rule: 'stop-order',
    does: 'stops the ambassador a second too early',
    at: `${PROXY}.lifecycle.preStop.sleep.seconds`,
    broken: () => plain().set('proxy.lifecycle.preStop.sleep.seconds', 24),
  },
  {
    rule: 'stop-order',
    does: 'gives the operator more time to stop than the ambassador stays',
    at: `${PROXY}.lifecycle.preStop.sleep.seconds`,
    broken: () => withVariable('operator', { name: 'CHANCERY_SHUTDOWN_TIMEOUT', value: '60' }),
  },
  {
    rule: 'stop-order',
    does: 'gives the operator unlimited time to stop',
    at: `${PROXY}.lifecycle.preStop.sleep.seconds`,
    broken: () => withVariable('operator', { name: 'CHANCERY_SHUTDOWN_TIMEOUT', value: '-1' }),
  },
  {
    rule: 'stop-order',
    does: 'ends the Pod before the preStop hook of the ambassador is over',
    at: `${POD}terminationGracePeriodSeconds`,
    broken: () => plain().set('pod.terminationGracePeriodSeconds', 25),
  },
  {
    rule: 'stop-order',
    does: 'makes the sidecar an ordinary init container',
    at: `${POD}initContainers[proxy].restartPolicy`,
    broken: () => sidecar().remove('pod.initContainers.0.restartPolicy'),
  },
  {
    rule: 'stop-order',
    does: 'has a preStop hook of a native sidecar',
    at: `${POD}initContainers[proxy].lifecycle.preStop`,
    broken: () =>
      sidecar().set('pod.initContainers.0.lifecycle', { preStop: { sleep: { seconds: 25 } } }),
  },
  {
    rule: 'stop-order',
    does: 'ends the Pod before the operator has stopped',
    at: `${POD}terminationGracePeriodSeconds`,
    broken: () => sidecar().set('pod.terminationGracePeriodSeconds', 20),
  },
];

import { rfc3339 } from 'chancery/internal-objects';
import type { ContainerSpec, ContainerStatus, Pod, PodCondition, PodStatus } from './pod.ts';

/** The status that a node reports for a Pod that was assigned to it. */
export function scheduledStatus(pod: Pod, nowMs: number): PodStatus {
  const condition: PodCondition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: rfc3339(nowMs),
  };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  return { ...pod.status, phase: 'Pending', conditions: [...others, condition] };
}

/** Conditions that become true together, when the last container is ready. */
const STARTED = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'];

/** The status of a Pod whose containers are running and ready. */
export function runningStatus(pod: Pod, podIP: string, nowMs: number): PodStatus {
  const now = rfc3339(nowMs);
  const scheduled = (pod.status?.conditions ?? []).filter(({ type }) => !STARTED.includes(type));
  const started = STARTED.map(
    (type): PodCondition => ({
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: now,
    }),
  );
  return {
    ...pod.status,
    phase: 'Running',
    conditions: [...started, ...scheduled],
    hostIP: NODE_IP,
    hostIPs: [{ ip: NODE_IP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: now,
    containerStatuses: pod.spec.containers.map((container) => ({
      ...containerFacts(container, pod),
      state: { running: { startedAt: now } },
      ready: true,
      started: true,
    })),
  };
}

/** The status of a Pod whose containers have all exited with code 0. */
export function succeededStatus(pod: Pod, nowMs: number): PodStatus {
  return endedStatus(pod, nowMs, { phase: 'Succeeded', exitCode: 0, reason: 'Completed' });
}

/**
 * The status of a Pod whose containers were killed by its deletion. The exit code is 128 plus the
 * number of SIGKILL.
 */
export function killedStatus(pod: Pod, nowMs: number): PodStatus {
  return endedStatus(pod, nowMs, { phase: 'Failed', exitCode: 137, reason: 'Error' });
}

function endedStatus(
  pod: Pod,
  nowMs: number,
  {
    phase,
    ...exit
  }: {
    readonly phase: 'Succeeded' | 'Failed';
    readonly exitCode: number;
    readonly reason: string;
  },
): PodStatus {
  const now = rfc3339(nowMs);
  const startedAt = pod.status?.startTime ?? now;
  const why = phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
  const conditions = (pod.status?.conditions ?? []).map((condition): PodCondition => {
    const isOver = condition.type === 'Ready' || condition.type === 'ContainersReady';
    return isOver
      ? { ...condition, status: 'False', reason: why, lastTransitionTime: now }
      : condition;
  });
  return {
    ...pod.status,
    phase,
    conditions,
    containerStatuses: pod.spec.containers.map((container) => ({
      ...containerFacts(container, pod),
      state: { terminated: { ...exit, startedAt, finishedAt: now } },
      ready: false,
      started: false,
    })),
  };
}

const NODE_IP = '127.0.0.1';

function containerFacts({ name, image = '' }: ContainerSpec, { metadata }: Pod): ContainerStatus {
  const digest = Buffer.from(image).toString('hex').padEnd(64, '0').slice(0, 64);
  return {
    name,
    lastState: {},
    restartCount: 0,
    image,
    imageID: `fake.io/${image}@sha256:${digest}`,
    containerID: `fake://${Buffer.from(`${metadata.uid}`).toString('hex').slice(0, 64)}`,
  };
}

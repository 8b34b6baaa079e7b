/** An IndexedJob: `completions` Pods, at most `parallelism` of them active, each with its index in JOB_INDEX. */
import {
  byOrdinal,
  type HookObject,
  type ObjectsByKey,
  type Pod,
  type PodTemplate,
} from './pods.ts';

interface IndexedJob extends HookObject {
  readonly spec: {
    readonly completions?: number;
    readonly parallelism?: number;
    readonly template: PodTemplate;
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface Request {
  readonly parent: IndexedJob;
  readonly children: { readonly 'Pod.v1': ObjectsByKey<Pod> };
}

export function sync({ parent, children }: Request): object {
  const { completions = 1, parallelism = 1, template } = parent.spec;
  const pods = byOrdinal(children['Pod.v1'], parent.metadata.name);
  const wanted = new Set(pods.keys());
  const isComplete = parent.status?.conditions?.some(
    ({ type, status }) => type === 'Complete' && status === 'True',
  );
  const counts = countsOf([...pods.values()]);
  let running = counts.active;
  for (let index = 0; index < completions && !isComplete; index++) {
    if (wanted.has(index) || running >= parallelism) continue;
    wanted.add(index);
    running++;
  }
  const status = counts.succeeded === completions ? 'True' : 'False';
  return {
    // Pods of a complete job may be collected: it stays complete.
    status: isComplete ? parent.status : { ...counts, conditions: [{ type: 'Complete', status }] },
    children: [...wanted].map((index) => podOf(parent.metadata.name, template, index)),
  };
}

interface Counts {
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
}

function countsOf(pods: readonly Pod[]): Counts {
  const inPhase = (phase: string): number =>
    pods.filter(({ status }) => status?.phase === phase).length;
  const [succeeded, failed] = [inPhase('Succeeded'), inPhase('Failed')];
  return { active: pods.length - succeeded - failed, succeeded, failed };
}

function podOf(job: string, { metadata, spec }: PodTemplate, index: number): object {
  const variable = { name: 'JOB_INDEX', value: String(index) };
  const containers = spec.containers.map((container) => ({
    ...container,
    env: [...(container.env ?? []), variable],
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name: `${job}-${index}` },
    spec: { ...spec, containers },
  };
}

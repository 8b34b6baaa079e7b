import type { Pod } from '../pods/pod.ts';
import type { ExitCodes, Job } from './job-object.ts';

/** The result of a Job's failure policy for a failed Pod. */
export interface FailureMatch {
  readonly action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore';
  /** The message with which the Job fails; undefined for any other action. */
  readonly message: string | undefined;
}

/**
 * The first rule that matches a failed Pod; undefined if none matches (`matchPodFailurePolicy` in
 * pkg/controller/job).
 */
export function matchedFailure({ spec }: Job, pod: Pod): FailureMatch | undefined {
  const { namespace = '', name } = pod.metadata;
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const { action, onExitCodes } = rule;
    const end = `matching ${action} rule at index ${index}`;
    const isFatal = action === 'FailJob';
    if (onExitCodes !== undefined) {
      const found = endedContainer(pod, onExitCodes);
      if (found === undefined) continue;
      const why = `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${found.code} ${end}`;
      return { action, message: isFatal ? why : undefined };
    }
    const condition = pod.status?.conditions?.find(({ type, status }) =>
      rule.onPodConditions?.some((one) => one.type === type && one.status === status),
    );
    if (condition === undefined) continue;
    const why = `Pod ${namespace}/${name} has condition ${condition.type} ${end}`;
    return { action, message: isFatal ? why : undefined };
  }
  return undefined;
}

/** False for a Pod whose failure the failure policy ignores. */
export function isCounted(job: Job, pod: Pod): boolean {
  return matchedFailure(job, pod)?.action !== 'Ignore';
}

/**
 * The first container with an exit code that the rule matches. Regular containers come before init
 * containers.
 */
function endedContainer(
  { status }: Pod,
  { containerName, operator, values }: ExitCodes,
): { readonly name: string; readonly code: number } | undefined {
  for (const { name, state } of [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
  ]) {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) continue;
    if (values.includes(code) === (operator === 'In')) return { name, code };
  }
  return undefined;
}

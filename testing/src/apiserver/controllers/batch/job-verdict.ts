import type { Pod } from '../pods/pod.ts';
import { endOf } from './job-end.ts';
import { matchedFailure } from './job-failure-policy.ts';
import { failedIndexes } from './job-index-failures.ts';
import { commonCount, countOf, isIndexed, parsedIndexes, succeededIndexes } from './job-indexes.ts';
import { isSuspended, type Job, trueCondition } from './job-object.ts';
import { type PodCount, totalOf } from './job-pod-count.ts';

/** The decision that a Job succeeds or fails. */
export interface Verdict {
  readonly isSuccess: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The number of failed Pods that a Job tolerates by default. */
const DEFAULT_BACKOFF_LIMIT = 6;

/** The facts that decide whether a Job succeeds or fails. */
interface Evidence {
  readonly pods: readonly Pod[];
  readonly count: PodCount;
  readonly nowMs: number;
}

/**
 * The decision that a Job succeeds or fails, apart from the number of its completions. Undefined if there is
 * no such decision yet. The checks follow `syncJob` in pkg/controller/job: an earlier verdict, then failures,
 * then the rules of `successPolicy`.
 */
export function verdictOf(job: Job, evidence: Evidence): Verdict | undefined {
  return (
    verdictSoFar(job) ??
    fatalFailure(job, evidence.pods) ??
    limitExceeded(job, evidence) ??
    failedByIndex(job, evidence.pods) ??
    successByPolicy(job, evidence.pods)
  );
}

/** The verdict that an earlier reconcile recorded, if the Job still lacks its final condition. */
function verdictSoFar(job: Job): Verdict | undefined {
  const found = trueCondition(job, 'SuccessCriteriaMet') ?? trueCondition(job, 'FailureTarget');
  if (found === undefined) return undefined;
  const { reason = '', message = '' } = found;
  return { isSuccess: found.type === 'SuccessCriteriaMet', reason, message };
}

/** Returns a verdict if the failure policy makes the whole Job fail because of one failed Pod. */
function fatalFailure(job: Job, pods: readonly Pod[]): Verdict | undefined {
  if (job.spec.podFailurePolicy === undefined) return undefined;
  for (const pod of pods.filter((each) => endOf(job, each) === 'failed')) {
    const message = matchedFailure(job, pod)?.message;
    if (message !== undefined) return failure('PodFailurePolicy', message);
  }
  return undefined;
}

function limitExceeded(job: Job, { pods, count, nowMs }: Evidence): Verdict | undefined {
  const { backoffLimit = DEFAULT_BACKOFF_LIMIT, activeDeadlineSeconds } = job.spec;
  if (totalOf(count, 'failed') > backoffLimit || isRestartedTooOften(job, pods, backoffLimit)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const startTime = job.status?.startTime;
  if (activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(job))
    return undefined;
  if (nowMs - Date.parse(startTime) < activeDeadlineSeconds * 1_000) return undefined;
  return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
}

/** Restarts of containers in the same Pod also count if the restart policy is `OnFailure`. */
function isRestartedTooOften(job: Job, pods: readonly Pod[], backoffLimit: number): boolean {
  if (job.spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const restarts = pods
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
    .flatMap(({ status }) => [
      ...(status?.initContainerStatuses ?? []),
      ...(status?.containerStatuses ?? []),
    ])
    .reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

/**
 * Returns a verdict if the Job fails because too many indexes have failed, or because no index can succeed
 * any more.
 */
function failedByIndex(job: Job, pods: readonly Pod[]): Verdict | undefined {
  const { maxFailedIndexes, completions = 0 } = job.spec;
  const failed = isIndexed(job) ? countOf(failedIndexes(job, pods) ?? []) : 0;
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return failure('MaxFailedIndexesExceeded', message);
  }
  const isDone = failed > 0 && failed + countOf(succeededIndexes(job, pods)) >= completions;
  return isDone ? failure('FailedIndexes', 'Job has failed indexes') : undefined;
}

/** The verdict of the first rule of `successPolicy` that the succeeded indexes meet. */
function successByPolicy(job: Job, pods: readonly Pod[]): Verdict | undefined {
  if (!isIndexed(job) || job.spec.successPolicy === undefined) return undefined;
  const succeeded = succeededIndexes(job, pods);
  if (succeeded.length === 0) return undefined;
  const at = job.spec.successPolicy.rules.findIndex(
    ({ succeededIndexes: wanted, succeededCount }) => {
      if (wanted === undefined)
        return succeededCount !== undefined && countOf(succeeded) >= succeededCount;
      const required = parsedIndexes(wanted, job.spec.completions ?? 0);
      const met = commonCount(required, succeeded);
      return (
        required.length > 0 &&
        (met === countOf(required) || met >= (succeededCount ?? Number.POSITIVE_INFINITY))
      );
    },
  );
  if (at < 0) return undefined;
  return { isSuccess: true, reason: 'SuccessPolicy', message: `Matched rules at index ${at}` };
}

function failure(reason: string, message: string): Verdict {
  return { isSuccess: false, reason, message };
}

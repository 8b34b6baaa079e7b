/**
 * A plan is phases of steps, in their order. Nothing of it is kept in memory: each pass asks every step
 * anew how far it is, and the first that is not done holds up those behind it.
 */
import {
  AlreadyOwnedError,
  BeingDeletedError,
  isAdmissionDenied,
  isInvalid,
  messageOf,
  type RefusedResult,
  retryRefused,
} from 'chancery';
import { ListAtomic, type Static, Type } from 'chancery/schema';

const StateSchema = Type.Enum(['PENDING', 'IN_PROGRESS', 'COMPLETE', 'ERROR', 'FATAL_ERROR']);

/** KUDO's words. ERROR is tried again; FATAL_ERROR waits for a person. */
export type State = Static<typeof StateSchema>;

/** How far a step is. */
export interface Progress {
  readonly status: State;
  readonly message?: string;
  /** For the condition. Default: follows from the status. */
  readonly reason?: string;
  /** To look again, where no event will tell. */
  readonly requeueAfterMs?: number;
  /** The API server refused what a change alone can mend: it is tried again rarely. */
  readonly retry?: RefusedResult;
}

export interface Step {
  readonly name: string;
  readonly run: () => Promise<Progress> | Progress;
}

export interface Phase {
  readonly name: string;
  readonly steps: readonly Step[];
}

interface Report {
  readonly name: string;
  readonly status: State;
}

export interface PlanStatus {
  readonly status: State;
  readonly phases: readonly (Report & {
    readonly steps: readonly (Report & { readonly message?: string })[];
  })[];
}

/** A plan after a pass. */
export interface PlanRun {
  readonly plan: PlanStatus;
  /** Of the step that holds it up; of a plan that is done, COMPLETE. */
  readonly progress: Progress;
  /** What a step has thrown: for the toolkit to retry, when the status is written. */
  readonly failure?: unknown;
}

export const COMPLETE: Progress = { status: 'COMPLETE' };

export const inProgress = (message: string, requeueAfterMs?: number): Progress => ({
  status: 'IN_PROGRESS',
  message,
  ...(requeueAfterMs !== undefined && { requeueAfterMs }),
});

/** Somebody else's object has not our label, so that no cache sees it go: it is looked for. */
const LOOK_AGAIN_MS = 60_000;

/** A policy, a webhook or a quota refuses: an ERROR of which people are told. */
export const REFUSED = 'Refused';

const MAX_MESSAGE = 1_000;

/** What others have written may be of any length: a status keeps the beginning of it. */
export function shortened(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`;
}

export async function runPlan(phases: readonly Phase[], signal: AbortSignal): Promise<PlanRun> {
  let progress = COMPLETE;
  let failure: unknown;
  const reports: PlanStatus['phases'][number][] = [];
  for (const { name, steps } of phases) {
    const done: (Report & { readonly message?: string })[] = [];
    for (const step of steps) {
      if (progress.status !== 'COMPLETE') {
        done.push({ name: step.name, status: 'PENDING' });
        continue;
      }
      try {
        progress = await step.run();
      } catch (error) {
        if (signal.aborted) throw error;
        progress = progressOfError(error);
        if (progress.status !== 'FATAL_ERROR') failure = error; // that one no retry mends
      }
      if (progress.message !== undefined) {
        progress = { ...progress, message: shortened(progress.message) };
      }
      const { status, message } = progress;
      done.push({ name: step.name, status, ...(message !== undefined && { message }) });
    }
    reports.push({ name, status: statusOf(done), steps: done });
  }
  return { plan: { status: progress.status, phases: reports }, progress, failure };
}

function progressOfError(error: unknown): Progress {
  const message = messageOf(error);
  if (error instanceof AlreadyOwnedError)
    return { status: 'FATAL_ERROR', message, reason: 'NotOwned', requeueAfterMs: LOOK_AGAIN_MS };
  if (error instanceof BeingDeletedError) return inProgress(message);
  if (isInvalid(error)) {
    return { status: 'FATAL_ERROR', message, reason: 'Invalid', retry: retryRefused(error) };
  }
  // A policy or a quota may change: the toolkit retries what is thrown.
  if (isAdmissionDenied(error)) return { status: 'ERROR', message, reason: REFUSED };
  return { status: 'ERROR', message };
}

/** Of a phase: that of its first step that is not done. */
function statusOf(steps: readonly Report[]): State {
  return steps.find(({ status }) => status !== 'COMPLETE')?.status ?? 'COMPLETE';
}

const Named = { name: Type.String(), status: StateSchema };
const PlanSchema = Type.Object({
  status: StateSchema,
  phases: ListAtomic(
    Type.Object({
      ...Named,
      steps: ListAtomic(Type.Object({ ...Named, message: Type.Optional(Type.String()) })),
    }),
  ),
});

type Plan = Type.TOptional<typeof PlanSchema>;

/** A plan is there when it has begun. */
export function plansSchema<Name extends string>(names: readonly Name[]) {
  const plan = Type.Optional(PlanSchema) as Plan;
  return Type.Object(Object.fromEntries(names.map((name) => [name, plan])) as Record<Name, Plan>);
}

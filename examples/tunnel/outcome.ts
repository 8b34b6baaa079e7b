import {
  AlreadyOwnedError,
  type DesiredCondition,
  findCondition,
  isAdmissionDenied,
  isInvalid,
  messageOf,
  READY,
  type ReconcileContext,
  type RefusedResult,
  retryRefused,
} from 'chancery';
import { ProvisionerError } from './provisioner/provisioner.ts';
import type { Tunnel, TunnelFacts } from './tunnel.ts';

/** What a pass comes to: the condition Ready, and when to look again. */
export interface Outcome {
  readonly reason: string;
  readonly message: string;
  readonly ready?: boolean;
  /** Somebody should look at it. */
  readonly warning?: boolean;
  readonly requeueAfterMs: number;
  /** When a write that was refused is tried again, if that is earlier. */
  readonly retry?: RefusedResult;
}

/** Ends a pass early: what it needs is not there, and a failure it is not. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.message);
    this.outcome = outcome;
  }
}

/**
 * What an error means to people, where it is one that they can do something about. Everything else is
 * for the toolkit to tell, and to try again.
 */
export function outcomeOf(error: unknown, requeueAfterMs: number): Outcome | undefined {
  if (error instanceof NotYet) return error.outcome;
  const warning = { warning: true, requeueAfterMs };
  if (error instanceof AlreadyOwnedError) {
    return { reason: 'NotOwned', message: error.message, ...warning };
  }
  if (isInvalid(error) || isAdmissionDenied(error)) {
    const message = messageOf(error);
    return { reason: 'Refused', message, ...warning, retry: retryRefused(error) };
  }
  if (error instanceof ProvisionerError) {
    return { reason: 'ProvisionerFailed', message: error.message, ...warning };
  }
  return undefined;
}

/** Writes what is known to the status, and tells of it once: when the reason is another one. */
export async function report(
  tunnel: Tunnel,
  facts: TunnelFacts,
  outcome: Outcome,
  { event, setStatus }: ReconcileContext<Tunnel>,
): Promise<void> {
  const { reason, message, ready = false, warning = false } = outcome;
  const conditions = [hostActive(facts), readyCondition(outcome)];
  const isWritten = await setStatus({ ...facts, conditions });
  const before = findCondition(tunnel.status?.conditions, READY);
  const isTold = before?.reason === reason && before.status === statusOf(ready);
  if (isWritten && !isTold) event(warning ? 'Warning' : 'Normal', reason, message);
}

function readyCondition({ reason, message, ready = false }: Outcome): DesiredCondition {
  return { type: READY, status: statusOf(ready), reason, message };
}

function hostActive({ hostId, hostStatus = 'none' }: TunnelFacts): DesiredCondition {
  const reason = `Host${hostStatus.slice(0, 1).toUpperCase()}${hostStatus.slice(1)}`;
  const message = hostId === undefined ? 'there is no host yet' : `host ${hostId} is ${hostStatus}`;
  return { type: 'HostActive', status: statusOf(hostStatus === 'active'), reason, message };
}

const statusOf = (fact: boolean): 'True' | 'False' => (fact ? 'True' : 'False');

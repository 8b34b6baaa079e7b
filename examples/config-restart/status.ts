import { type Condition, setCondition } from 'chancery';
import type { Report } from './memory.ts';
import type { PassResult } from './pass.ts';
import type { Watcher } from './watcher.ts';

/** `status` of every kind of watcher. */
export interface WatcherStatus {
  readonly observedGeneration?: number;
  /** SHA-256 in hex of the ConfigMap's content that the Pods have. */
  readonly observedHash?: string;
  readonly lastRestartTime?: string;
  readonly lastRestartedPods?: readonly string[];
  readonly conditions?: readonly Condition[];
}

export interface Facts {
  readonly watcher: Watcher;
  readonly outcome: PassResult;
  /** Whether the ConfigMap that the watcher names exists. */
  readonly found: boolean;
  /** Undefined when there is no restart to report. */
  readonly report: Report | undefined;
}

type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>;

/** `current` with the facts in it; equal to it when they are there already. */
export function nextStatus(current: WatcherStatus, facts: Facts, nowMs: number): WatcherStatus {
  const { watcher, outcome, report } = facts;
  const { generation } = watcher.declaredBy.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const observedHash = watcher.accepted ? outcome.observedHash : undefined;
  const verdicts = {
    ConfigMapFound: configMapFound(facts),
    SelectorValid: selectorValid(watcher),
    Ready: readiness(facts),
  };
  const conditions = Object.entries(verdicts).reduce<readonly Condition[]>(
    (list, [type, verdict]) => setCondition(list, { type, ...verdict, ...observed }, nowMs),
    current.conditions ?? [],
  );
  return {
    ...current,
    ...observed,
    ...(observedHash === undefined ? {} : { observedHash }),
    ...report,
    conditions,
  };
}

function configMapFound({ watcher, found }: Facts): Verdict {
  const { configMap } = watcher;
  if (configMap === undefined) {
    return { status: 'False', reason: 'NotNamed', message: 'the watcher names no ConfigMap' };
  }
  if (!found) {
    return {
      status: 'False',
      reason: 'NotFound',
      message: `ConfigMap ${configMap} does not exist`,
    };
  }
  return { status: 'True', reason: 'Found', message: `ConfigMap ${configMap} exists` };
}

function selectorValid(watcher: Watcher): Verdict {
  if (watcher.accepted)
    return { status: 'True', reason: 'Valid', message: 'the selector is valid' };
  const { reason, message } = watcher.refusal;
  return { status: reason === 'InvalidSpec' ? 'Unknown' : 'False', reason, message };
}

function readiness({ watcher, outcome }: Facts): Verdict {
  if (!watcher.accepted) return { status: 'False', ...watcher.refusal };
  switch (outcome.phase) {
    case 'missing':
      return { status: 'False', reason: 'ConfigMapNotFound', message: 'waiting for the ConfigMap' };
    case 'restarting':
      return { status: 'False', reason: 'Restarting', message: 'Pods are being replaced' };
    case 'failed':
      return { status: 'False', reason: 'RestartFailed', message: outcome.failure ?? '' };
    case 'watching':
      return { status: 'True', reason: 'Watching', message: 'waiting for changes' };
  }
}

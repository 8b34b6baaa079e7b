import type { KubernetesObject, Selector } from 'chancery';

/**
 * How Pods are replaced: `rollout` asks their workload, `evict` asks for one Pod after another,
 * `delete` removes all at once as the original scripts did.
 */
export type Strategy = 'rollout' | 'evict' | 'delete';

/** `data`: only content counts. `any`: an edit of a label or an annotation counts too. */
export type RestartOn = 'data' | 'any';

/** What a watcher asks for, checked. */
export interface Demand {
  /** Never without a requirement: that would be every Pod of the namespace. */
  readonly selector: Selector;
  readonly strategy: Strategy;
  /** How long a ConfigMap must stay unchanged before Pods are restarted. */
  readonly debounceMs: number;
  readonly restartOn: RestartOn;
}

/** Why a watcher is not obeyed. */
export interface Refusal {
  readonly reason: 'EmptySelector' | 'InvalidSelector' | 'InvalidSpec';
  readonly message: string;
}

interface Declared {
  /** `annotation`, `configmap`, or the name of the custom resource. Kept in the cluster's state. */
  readonly frontEnd: string;
  /** Where the watcher is written, and where people look for its Events and status. */
  readonly declaredBy: KubernetesObject;
  /** Undefined when the watcher does not say which ConfigMap it means. */
  readonly configMap: string | undefined;
}

export interface AcceptedWatcher extends Declared {
  readonly accepted: true;
  readonly demand: Demand;
}

export interface RefusedWatcher extends Declared {
  readonly accepted: false;
  readonly refusal: Refusal;
}

/** One request, through whichever front end, to restart Pods when a ConfigMap changes. */
export type Watcher = AcceptedWatcher | RefusedWatcher;

/** Thrown while a watcher is read, and turned into its `Refusal` by `readWatcher`. */
export class Refused extends Error {
  readonly reason: Refusal['reason'];

  constructor(reason: Refusal['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The watcher that `demand` describes, refused when it throws `Refused`. */
export function readWatcher(declared: Declared, demand: () => Demand): Watcher {
  try {
    return { ...declared, accepted: true, demand: demand() };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { reason, message } = error;
    return { ...declared, accepted: false, refusal: { reason, message } };
  }
}

import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Resume } from './key-gate.ts';
import type { KeyPolicy } from './key-policy.ts';

/**
 * Parks keys until the cache that has their objects is synced. An optional source may be forbidden or
 * not served for any time, and other sources enqueue keys meanwhile.
 */
export class CacheSync implements KeyPolicy {
  readonly #informer: () => Pick<SharedInformer<KubernetesObject>, 'synced' | 'until'> | undefined;
  readonly #resume: Resume;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<ObjectKey>();
  #isListening = false;

  /** @param informer - that of the reconciled objects; undefined before it is made. */
  constructor(
    informer: () => Pick<SharedInformer<KubernetesObject>, 'synced' | 'until'> | undefined,
    resume: Resume,
  ) {
    this.#informer = informer;
    this.#resume = resume;
  }

  delayMs(key: ObjectKey): number | 'park' {
    const informer = this.#informer();
    if (informer === undefined || informer.synced) return 0;
    this.#waiting.add(key);
    if (this.#isListening) return 'park';
    this.#isListening = true;
    informer
      .until(() => informer.synced, this.#stop.signal)
      .then(
        () => this.#resumeAll(),
        () => {}, // the controller has ended
      );
    return 'park';
  }

  stop(): void {
    this.#stop.abort();
  }

  #resumeAll(): void {
    this.#isListening = false;
    const keys = [...this.#waiting];
    this.#waiting.clear();
    for (const key of keys) this.#resume(key);
  }
}
